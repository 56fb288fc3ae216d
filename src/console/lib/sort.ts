import { compareCodePoints } from '../../look/code-points.ts'

/** What a column can be sorted by. */
export interface Sortable {
  readonly sort?: string | undefined
  /** Large ones are looked for first. */
  readonly isFigure?: boolean | undefined
}

type Value = string | number | null

/** Its name, and whether it is sorted from the highest on. */
export const readSort = (sort: string) =>
  sort.startsWith('-')
    ? { name: sort.slice(1), isDescending: true }
    : { name: sort, isDescending: false }

/** The sort that a click on a column's head leads to; undefined: back to the usual one. */
export function nextSort(
  { sort: name = '', isFigure = false }: Sortable,
  now: string | undefined,
  usual: string | undefined,
): string | undefined {
  const turns = isFigure ? [`-${name}`, name] : [name, `-${name}`]
  const left = turns.filter((turn) => turn !== usual)
  return left[left.indexOf(now ?? '') + 1]
}

/** Items by a value of theirs, texts as the API sorts them; those without one come last, either way. */
export function sortItems<Item>(
  items: readonly Item[],
  sortOf: (item: Item) => Value,
  isDescending: boolean,
): readonly Item[] {
  const sign = isDescending ? -1 : 1
  return items
    .map((item) => ({ item, value: sortOf(item) }))
    .sort(({ value: a }, { value: b }) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null)
      return typeof a === 'number' && typeof b === 'number'
        ? sign * (a - b)
        : sign * compareCodePoints(String(a), String(b))
    })
    .map(({ item }) => item)
}
