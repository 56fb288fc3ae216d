import { type TSchema, Type } from '@sinclair/typebox'
import { listed } from '../lib/format.ts'
import type { Regions } from '../store/ports/catalog.ts'
import { plain, type Spec, stored } from './field.ts'
import { onlyThese, optional, orNull, regions, text, titledWords } from './schema-parts.ts'

// The kinds of fields that hold several values.

/** Names of other resources, in order; a table of its own links them. */
export const referencesField = <
  const S extends Omit<Spec, 'column'> & { readonly itemHelp: string },
>(
  spec: S,
) => ({
  ...spec,
  ...plain<readonly string[]>(),
  isElsewhere: true as const,
  initial: [] as readonly string[],
  file: Type.Array(text('name', spec.itemHelp), { description: spec.help }),
  view: Type.Array(Type.String(), { description: spec.help }),
  patch: Type.Array(Type.String(), { maxItems: 1_000, description: spec.help }),
  fromFile: (written: readonly string[]) => written,
  toView: (values: readonly string[]) => [...values],
  text: unordered,
  show: (values: readonly string[]) => listed(values, spec.none ?? 'none'),
})

interface ListSpec extends Spec {
  /** One of them, as the file has it. */
  readonly items: TSchema
  /** Characters of each, … */
  readonly most: number
  /** … and how many there may be. */
  readonly mostItems?: number
  /** What to do where the file has the key with nothing behind it. */
  readonly whenEmpty: string
  /** What the API says twice counts once. */
  readonly mayRepeat?: boolean
}

const itemsOf = ({ most, mostItems = 500, help }: ListSpec) =>
  Type.Array(Type.String({ maxLength: most }), { maxItems: mostItems, description: help })

/** Texts whose order means nothing; none: all of them. */
export const listField = <const S extends ListSpec>(spec: S) => ({
  ...spec,
  ...stored<readonly string[]>(),
  initial: [] as readonly string[],
  file: onlyThese(Type.Unsafe<string>(spec.items), {
    description: spec.help,
    whenEmpty: spec.whenEmpty,
  }),
  view: Type.Array(Type.String(), { description: spec.help }),
  patch: itemsOf(spec),
  fromFile: (written: readonly string[] = []) => written,
  fromCell: (cell: string): readonly string[] => (cell === '[]' ? noTexts : JSON.parse(cell)),
  toView: (values: readonly string[]) => [...values],
  toWritten: (given: unknown): unknown =>
    spec.mayRepeat ? [...new Set(given as readonly string[])] : given,
  text: unordered,
  show: (values: readonly string[]) => listed(values, spec.none ?? 'none'),
})

const noTexts: readonly never[] = []

/** The same where an empty list is none of them; null: all. */
export const openListField = <const S extends ListSpec & { readonly nobody: string }>(spec: S) => ({
  ...spec,
  ...stored<readonly string[] | null>(),
  initial: null as readonly string[] | null,
  file: onlyThese(Type.Unsafe<string>(spec.items), {
    description: spec.help,
    whenEmpty: spec.whenEmpty,
  }),
  ...{ view: orNull(itemsOf(spec)), patch: orNull(itemsOf(spec)) },
  fromFile: (written: readonly string[] | null = null) => written,
  toView: (values: readonly string[] | null) => values && [...values],
  text: (values: readonly string[] | null) => (values === null ? 'all' : unordered(values)),
  show: (values: readonly string[]) => listed(values, spec.nobody),
})

/** Some of a few words that have a title each; their order means nothing. */
export const wordsField = <const S extends Spec, const Word extends string>(
  spec: S,
  words: readonly Word[],
  titleOf: (word: Word) => string,
) => ({
  ...spec,
  ...stored<readonly string[]>(),
  initial: [] as readonly string[],
  file: optional(Type.Array(titledWords(words, titleOf), { description: spec.help })),
  view: Type.Array(Type.String(), { description: spec.help }),
  patch: Type.Array(Type.String(), { maxItems: 100, description: spec.help }),
  fromFile: (written: readonly Word[] = []): readonly string[] => written,
  toView: (values: readonly string[]) => [...values],
  text: unordered,
  show: (values: readonly string[]) => listed(values, spec.none ?? 'none'),
})

const countryList = Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 400 }))

/** Countries that are served, by their codes; the rules of tollgate.yaml say which of the two. */
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

/** Countries that are served; null: all. */
export const regionsField = <const S extends Spec>(spec: S) => ({
  ...spec,
  ...stored<Regions | null>(),
  initial: null as Regions | null,
  file: optional(orNull(regions(spec.help))),
  ...{ view: Countries, patch: Countries },
  fromFile: (
    written?: {
      readonly allow?: readonly string[]
      readonly deny?: readonly string[]
    } | null,
  ): Regions | null => {
    // One of the two lists is there: the checks say so.
    if (written?.allow) return { allow: inCapitals(written.allow) }
    return written?.deny ? { deny: inCapitals(written.deny) } : null
  },
  // Equal ones are equal texts.
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

/** Texts, or objects, whose order means nothing. */
export function unordered(items: readonly (string | object)[]): string {
  return `[${items
    .map((one) => JSON.stringify(one))
    .toSorted()
    .join(',')}]`
}
