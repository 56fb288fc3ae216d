import { type TSchema, Type } from '@sinclair/typebox'
import { formatNano, nanoDecimals, parseDecimal } from '../billing/money.ts'
import { parseDateTime } from '../lib/clock.ts'
import { isoTime } from '../lib/format.ts'
import type { Regions } from '../store/ports/catalog.ts'
import { decimal, flag, onlyThese, optional, orNull, regions, text, words } from './schema-parts.ts'
import type { ValueKind } from './values.ts'

// The kinds of fields: how a value of each is written in the file, a column, the console's API, a
// report (`--json`, and the audit) and a plan.

/** How commands name a field. */
export interface Flag {
  /** Such as `--budget-day`. */
  readonly name: string
  /** What stands behind it, such as `<usd>`; left out for a switch. */
  readonly value?: string
  readonly help: string
  /** What holds where `add` does not name it. */
  readonly usual?: string
  /** What `--no-…` of a switch does. */
  readonly off?: string
  /** Whether `set` has it, too. */
  readonly canSet?: boolean
}

/** What is said of a field beside its kind. */
interface Spec {
  /** Its name in the program. */
  readonly as: string
  /** Its column, by which the audit names it, too. */
  readonly column: string
  /** One sentence, for the schema, the API's documentation and `tollgate init`. */
  readonly help: string
  readonly flag?: Flag
  /** How commands show it: the title of its line, … */
  readonly title?: string
  /** … and whether lists have it, … */
  readonly isListed?: boolean
  /** … and what they say of none, and of a switch that is on. */
  readonly none?: string
  readonly yes?: string
  /** The key of the file, where it is not the field's. */
  readonly fileKey?: string
  /** The file leaves it as it is where it does not name it. */
  readonly keeps?: boolean
  /** What an owner may not raise again once an operator has lowered it, such as `its limit rpm`. */
  readonly restrains?: string
}

/** Whether a resource may be used; the file calls it `enabled`. */
const Status = Type.Union([Type.Literal('active'), Type.Literal('disabled')])

export const statusField = <const S extends Omit<Spec, 'as' | 'column'>>(spec: S) => ({
  ...spec,
  ...{ as: 'status' as const, column: 'status' as const, fileKey: 'enabled' as const },
  kind: 'status' as const,
  initial: 'active' as 'active' | 'disabled',
  ...{ file: flag(spec.help), view: Status, patch: Status },
  fromFile: (enabled?: boolean): 'active' | 'disabled' =>
    enabled === false ? 'disabled' : 'active',
  toFile: (status: 'active' | 'disabled') => status === 'active',
  ...same<'active' | 'disabled'>(),
  text: (status: 'active' | 'disabled') => String(status === 'active'),
})

/** One line of text that must be there. */
export const nameField = <const S extends Spec & { readonly reads: ValueKind }>(spec: S) => ({
  ...spec,
  kind: 'name' as const,
  initial: '',
  ...{ file: text(spec.reads, spec.help), view: Type.String(), patch: shortText() },
  fromFile: (written: string) => written,
  toFile: (value: string) => value,
  ...same<string>(),
  text: (value: string) => value,
})

/** The name of another resource; its column holds the id of that. */
export const referenceField = <const S extends Omit<Spec, 'column'>>(spec: S) => ({
  ...spec,
  kind: 'reference' as const,
  initial: '',
  ...{ file: text('name', spec.help), view: Type.String(), patch: shortText() },
  fromFile: (written: string) => written,
  toFile: (value: string) => value,
  ...same<string>(),
  text: (value: string) => value,
})

/** What a list is of. */
export interface Items {
  readonly reads: ValueKind
  readonly help: string
  /** Characters of each. */
  readonly most: number
  /** They name what must be there: looking them up is check enough. */
  readonly isLookedUp?: boolean
}

interface ListSpec extends Spec {
  readonly items: Items
  /** What to do where the file has the key with nothing behind it. */
  readonly whenEmpty: string
}

/** Texts whose order means nothing; none: all of them. */
export const listField = <const S extends ListSpec>(spec: S) => ({
  ...spec,
  kind: 'list' as const,
  initial: [] as readonly string[],
  file: onlyThese(text(spec.items.reads, spec.items.help), {
    description: spec.help,
    whenEmpty: spec.whenEmpty,
  }),
  view: Type.Array(Type.String(), { description: spec.help }),
  patch: Type.Array(Type.String({ maxLength: spec.items.most }), {
    ...{ maxItems: 500, description: spec.help },
  }),
  fromFile: (written: readonly string[] = []) => written,
  toFile: (values: readonly string[]) => values,
  toCell: (values: readonly string[]): string => JSON.stringify(values),
  fromCell: (cell: string): readonly string[] => (cell === '[]' ? noTexts : JSON.parse(cell)),
  toReport: (values: readonly string[]) => values,
  toView: (values: readonly string[]) => [...values],
  text: (values: readonly string[]) => unordered(values),
})

const noTexts: readonly never[] = []

/** A switch that is off at first. */
export const switchField = <const S extends Spec>(spec: S) => ({
  ...spec,
  kind: 'switch' as const,
  initial: false,
  file: flag(spec.help),
  view: Type.Boolean({ description: spec.help }),
  patch: Type.Boolean({ description: spec.help }),
  fromFile: (written = false) => written,
  toFile: (value: boolean) => value,
  toCell: (value: boolean): number => (value ? 1 : 0),
  fromCell: (cell: number) => cell === 1,
  toReport: (value: boolean) => value,
  toView: (value: boolean) => value,
  text: String as (value: boolean) => string,
})

/** A point in time, in milliseconds since 1970; null: none. */
export const timeField = <const S extends Spec>(spec: S) => ({
  ...spec,
  kind: 'time' as const,
  initial: null as number | null,
  file: optional(orNull(text('date-time', spec.help))),
  view: orNull(Type.String({ description: spec.help })),
  patch: orNull(Type.String({ maxLength: 40, description: spec.help })),
  fromFile: (written?: string | null): number | null =>
    written == null ? null : (parseDateTime(written) ?? null),
  toFile: timeText,
  toCell: (time: number | null) => time,
  fromCell: (cell: number | null) => cell,
  toReport: timeText,
  toView: timeText,
  text: (time: number | null) => String(timeText(time)),
})

function timeText(time: number | null): string | null {
  return time === null ? null : isoTime(time)
}

/** USD that may be spent, in nano-USD inside and as decimal text outside; null: no limit. */
export const usdLimitField = <const S extends Spec>(spec: S) => ({
  ...spec,
  kind: 'usd' as const,
  suffix: '_nano' as const,
  initial: null as number | null,
  file: optional(orNull(decimal('usd', spec.help))),
  view: usdOrNull(spec.help),
  patch: usdOrNull(spec.help),
  fromFile: (written?: string | number | null): number | null =>
    written == null ? null : (parseDecimal(written, nanoDecimals) ?? null),
  toFile: usdText,
  toCell: (nano: number | null) => nano,
  fromCell: (cell: number | null) => cell,
  toReport: (nano: number | null) => nano,
  toView: usdText,
  text: (nano: number | null) => String(usdText(nano)),
})

const usdOrNull = (description: string) =>
  Type.Union([Type.String({ maxLength: 40 }), Type.Null()], { description })

function usdText(nano: number | null): string | null {
  return nano === null ? null : formatNano(nano)
}

/** A whole number that is the most of something; null: no limit. */
export const countLimitField = <const S extends Spec>(spec: S) => ({
  ...spec,
  kind: 'count' as const,
  initial: null as number | null,
  file: optional(orNull(Type.Integer({ ...countRange, description: spec.help }))),
  view: Type.Union([Type.Integer(), Type.Null()], { description: spec.help }),
  patch: Type.Union([Type.Integer(countRange), Type.Null()], { description: spec.help }),
  fromFile: (written: number | null = null) => written,
  toFile: (count: number | null) => count,
  ...same<number | null>(),
  text: String as (count: number | null) => string,
})

/** What a count may be that limits something. */
export const countRange = { minimum: 1, maximum: 1_000_000_000 } as const

/** What columns, reports and the API have as the program has it. */
function same<Value>() {
  const asItIs = (value: Value): Value => value
  return { toCell: asItIs, fromCell: asItIs, toReport: asItIs, toView: asItIs }
}

function shortText() {
  return Type.String({ maxLength: 200 })
}

/** Fields that stand together, under a key of their own. */
export const partField = <
  const As extends string,
  const Fields extends object,
  File extends TSchema,
>(spec: {
  readonly as: As
  readonly help: string
  readonly part: Fields
  /** How the file writes it. */
  readonly file: File
  /** The field that a single value in the file stands for. */
  readonly short?: string
}) => spec

/** One of a few words; `usual` holds where none is said. */
export const wordField = <
  const S extends Spec & { readonly words: readonly string[]; readonly usual: string },
>(
  spec: S,
) => {
  type Word = S['words'][number]
  const literals = Type.Unsafe<Word>(Type.Union(spec.words.map((word) => Type.Literal(word))))
  return {
    ...spec,
    kind: 'word' as const,
    initial: spec.usual as Word,
    file: optional(words(spec.words as readonly Word[], spec.help)),
    ...{ view: literals, patch: literals },
    fromFile: (written?: Word): Word => written ?? spec.usual,
    toFile: (word: Word) => word,
    ...same<Word>(),
    text: (word: Word): string => word,
  }
}

/** USD of which there is always some amount, 0 at first. */
export const usdField = <const S extends Spec>(spec: S) => ({
  ...spec,
  kind: 'usd' as const,
  suffix: '_nano' as const,
  initial: 0,
  file: optional(decimal('usd', spec.help)),
  view: Type.String({ maxLength: 40, description: spec.help }),
  patch: Type.String({ maxLength: 40, description: spec.help }),
  fromFile: (written: string | number = 0): number => parseDecimal(written, nanoDecimals) ?? 0,
  toFile: (nano: number) => formatNano(nano),
  toCell: (nano: number) => nano,
  fromCell: (cell: number) => cell,
  toReport: (nano: number) => nano,
  toView: (nano: number) => formatNano(nano),
  text: (nano: number) => formatNano(nano),
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
  kind: 'regions' as const,
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
  toFile: (value: Regions | null) => value,
  // Equal ones are equal texts.
  toCell: (value: Regions | null): string | null =>
    value && JSON.stringify('allow' in value ? { allow: value.allow } : { deny: value.deny }),
  fromCell: (cell: string | null): Regions | null => (cell === null ? null : JSON.parse(cell)),
  toReport: (value: Regions | null) => value,
  toView: (value: Regions | null) =>
    value && ('allow' in value ? { allow: [...value.allow] } : { deny: [...value.deny] }),
  text: (value: Regions | null) => {
    if (value === null) return 'all'
    return 'allow' in value ? `allow ${unordered(value.allow)}` : `deny ${unordered(value.deny)}`
  },
})

const inCapitals = (codes: readonly string[]) => [
  ...new Set(codes.map((code) => code.toUpperCase())),
]

/** Texts whose order means nothing. */
const unordered = (texts: readonly string[]) =>
  `[${texts
    .map((one) => JSON.stringify(one))
    .toSorted()
    .join(',')}]`
