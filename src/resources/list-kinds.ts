import { type TSchema, Type } from '@sinclair/typebox'
import { listed } from '../lib/format.ts'
import type { Regions } from '../store/ports/catalog.ts'
import { type Flag, plain, type Spec, stored } from './field.ts'
import { onlyThese, optional, orNull, regions, text, titledWords } from './schema-parts.ts'

// The kinds of fields that hold several values.

/** Names of other resources in order; a link table stores them. */
export const referencesField = <
  const S extends Omit<Spec, 'column'> & { readonly itemHelp: string },
>(
  spec: S,
) => ({
  ...spec,
  ...plain<readonly string[]>(),
  ...textSet(spec),
  isElsewhere: true as const,
  file: Type.Array(text('name', spec.itemHelp), { description: spec.help }),
  patch: Type.Array(Type.String(), { maxItems: 1_000, description: spec.help }),
  fromFile: (written: readonly string[]) => written,
})

/** What kinds that are a set of texts have in common. */
const textSet = ({ help, none = 'none' }: Omit<Spec, 'column'>) => ({
  initial: [] as readonly string[],
  view: Type.Array(Type.String(), { description: help }),
  toView: (values: readonly string[]) => [...values],
  text: unordered,
  show: (values: readonly string[]) => listed(values, none),
})

interface ListSpec extends Spec {
  /** The schema of an item in the file. */
  readonly items: TSchema
  /** Characters per item. */
  readonly most: number
  readonly mostItems?: number
  /** The advice for a key without a value. */
  readonly whenEmpty: string
  /** The API may repeat items; repeats are dropped. */
  readonly mayRepeat?: boolean
}

const itemsOf = ({ most, mostItems = 500, help }: ListSpec) =>
  Type.Array(Type.String({ maxLength: most }), { maxItems: mostItems, description: help })

const fileOf = ({ items, help, whenEmpty }: ListSpec) =>
  onlyThese(Type.Unsafe<string>(items), { description: help, whenEmpty })

/** A set of texts; empty: all. */
export const listField = <const S extends ListSpec>(spec: S) => ({
  ...spec,
  ...stored<readonly string[]>(),
  ...textSet(spec),
  file: fileOf(spec),
  patch: itemsOf(spec),
  fromFile: (written: readonly string[] = []) => written,
  fromCell: (cell: string): readonly string[] => (cell === '[]' ? noTexts : JSON.parse(cell)),
  toWritten: (given: unknown): unknown =>
    spec.mayRepeat ? [...new Set(given as readonly string[])] : given,
})

const noTexts: readonly never[] = []

/** A set of texts; empty: none, null: all. */
export const openListField = <const S extends ListSpec & { readonly whenNone: string }>(
  spec: S,
) => ({
  ...spec,
  ...stored<readonly string[] | null>(),
  initial: null as readonly string[] | null,
  file: fileOf(spec),
  ...{ view: orNull(itemsOf(spec)), patch: orNull(itemsOf(spec)) },
  fromFile: (written: readonly string[] | null = null) => written,
  toView: (values: readonly string[] | null) => values && [...values],
  text: (values: readonly string[] | null) => (values === null ? 'all' : unordered(values)),
  show: (values: readonly string[]) => listed(values, spec.whenNone),
})

/** A subset of words that have a title each. */
export const wordsField = <const S extends Spec, const Word extends string>(
  spec: S,
  words: readonly Word[],
  titleOf: (word: Word) => string,
) => ({
  ...spec,
  ...stored<readonly string[]>(),
  ...textSet(spec),
  file: optional(Type.Array(titledWords(words, titleOf), { description: spec.help })),
  patch: Type.Array(Type.String(), { maxItems: 100, description: spec.help }),
  fromFile: (written: readonly Word[] = []): readonly string[] => written,
})

const countryList = Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 400 }))

/** The rules of tollgate.yaml allow one of the two lists. */
const Countries = Type.Union(
  [
    Type.Object(
      { allow: countryList, deny: countryList },
      { description: '{ allow } alone: these countries; { deny } alone: all but these.' },
    ),
    Type.Null(),
  ],
  { description: 'Countries that are served; null: all.' },
)

/** The options of a field of served countries. */
export const countryFlags = (canSet: true | 'only'): readonly Flag[] => [
  {
    ...{ name: '--allow-countries', value: '<codes>', within: 'allow', hasCommas: true, canSet },
    help: 'only from these countries: codes with commas between, such as CN,US',
  },
  {
    ...{ name: '--deny-countries', value: '<codes>', within: 'deny', hasCommas: true, canSet },
    help: 'from all countries but these',
  },
  { name: '--all-countries', help: 'from all countries', clears: true, canSet: 'only' },
]

/** Served countries; null: all. */
export const regionsField = <const S extends Spec>(spec: S) => ({
  ...spec,
  ...stored<Regions | null>(),
  initial: null as Regions | null,
  file: optional(orNull(regions(spec.help))),
  ...{ view: Countries, patch: Countries },
  fromFile: (
    written?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] } | null,
  ): Regions | null => {
    // The checks require one of the two lists.
    if (written?.allow) return { allow: inCapitals(written.allow) }
    return written?.deny ? { deny: inCapitals(written.deny) } : null
  },
  // A fixed order of keys: equal values have equal texts.
  toCell: (value: Regions | null): string | null =>
    value && JSON.stringify('allow' in value ? { allow: value.allow } : { deny: value.deny }),
  toView: (value: Regions | null) =>
    value && ('allow' in value ? { allow: [...value.allow] } : { deny: [...value.deny] }),
  text: (value: Regions | null) => {
    if (value === null) return 'all'
    return 'allow' in value ? `allow ${unordered(value.allow)}` : `deny ${unordered(value.deny)}`
  },
  show: (value: Regions) =>
    'allow' in value ? `only ${value.allow.join(', ')}` : `all but ${value.deny.join(', ')}`,
})

const inCapitals = (codes: readonly string[]) => [
  ...new Set(codes.map((code) => code.toUpperCase())),
]

/** Items as a sorted text: order does not matter. */
export function unordered(items: readonly (string | object)[]): string {
  return `[${items
    .map((one) => JSON.stringify(one))
    .toSorted()
    .join(',')}]`
}
