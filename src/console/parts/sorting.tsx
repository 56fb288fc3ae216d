import { NativeSelect, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFilters } from '../lib/filters.ts'
import { bilingual, useText } from '../lib/language.ts'
import { nextSort, readSort, type Sortable, sortItems } from '../lib/sort.ts'
import type { Column } from './table.tsx'

/** How a table is sorted. The address has it, so that a view can be linked to and gone back to. */
export interface Sorting<Sort extends string = string> {
  /** A column's name, with a minus from the highest on; absent: the usual order. */
  readonly sort: Sort | `-${Sort}` | undefined
  /** What the usual order is, if a column has it. */
  readonly usual: string | undefined
  readonly choose: (sort: string | undefined) => void
}

/**
 * The order that the address names, if these columns have it; `word`: what it is called there. On a page with
 * several lists each has its own.
 */
export function useSorting<Sort extends string>(
  columns: readonly { readonly sort?: Sort }[],
  usual?: Sort | `-${Sort}`,
  word = 'sort',
): Sorting<Sort> {
  const [{ [word]: asked = '' }, set] = useFilters()
  const isKnown = columns.some(({ sort }) => sort !== undefined && sort === readSort(asked).name)
  return {
    sort: isKnown ? (asked as Sort) : undefined,
    usual,
    choose: (sort) => set({ [word]: sort }),
  }
}

/** Items that are all here, in the order that is asked for; tables of the same columns share it. */
export function useSorted<Item>(items: readonly Item[], columns: readonly Column<Item>[]) {
  const sorting = useSorting(columns)
  const { name, isDescending } = readSort(sorting.sort ?? '')
  const sortOf = columns.find(({ sort }) => sort === name)?.value
  return { items: sortOf ? sortItems(items, sortOf, isDescending) : items, sorting }
}

interface HeadProps {
  readonly column: Sortable
  readonly sorting: Sorting
  readonly children: ReactNode
}

const arrows = { none: '↕', ascending: '↑', descending: '↓' } as const

/** The head of a column that sorts: a click turns the order round, the third leads back to the usual one. */
export function SortHead({ column, sorting, children }: HeadProps) {
  const { sort, usual, choose } = sorting
  const { name, isDescending } = readSort(sort ?? usual ?? '')
  const order = name !== column.sort ? 'none' : isDescending ? 'descending' : 'ascending'
  return (
    <Table.Th
      ta={column.isFigure ? 'end' : 'start'}
      mod={{ figure: column.isFigure }}
      aria-sort={order}
    >
      <button type="button" className="sort" onClick={() => choose(nextSort(column, sort, usual))}>
        {children}
        {/* The sign before it keeps it beside the last word, which Chinese has no space behind. */}
        <span aria-hidden>{`\u2060${arrows[order]}`}</span>
      </button>
    </Table.Th>
  )
}

interface ChoiceProps {
  readonly columns: readonly (Sortable & { readonly label: string })[]
  readonly sorting: Sorting
}

/** The same on a phone, where a table has no heads. */
export function SortChoice({ columns, sorting: { sort, usual, choose } }: ChoiceProps) {
  const text = useText(sortText)
  const choices = columns.flatMap(({ label, sort: name }) =>
    name === undefined
      ? []
      : [
          { value: name, label: `${label} ↑` },
          { value: `-${name}`, label: `${label} ↓` },
        ],
  )
  const data = usual === undefined ? [{ value: '', label: text.usual }, ...choices] : choices
  return (
    <NativeSelect
      {...{ hiddenFrom: 'sm', size: 'xs', label: text.sortBy, data, value: sort ?? usual ?? '' }}
      onChange={({ currentTarget: { value } }) => choose(value === usual ? undefined : value)}
    />
  )
}

const sortText = bilingual({
  sortBy: ['Sort by', '排序方式'],
  usual: ['The usual order', '默认顺序'],
})
