import { type TSchema, Type } from '@sinclair/typebox'
import { formatNano, nanoDecimals, parseDecimal } from '../billing/money.ts'
import { isoTime } from '../lib/format.ts'
import { parseDateTime } from '../lib/parse-time.ts'
import { decimal, flag, onlyThese, optional, orNull, text } from './schema-parts.ts'
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
  text: (values: readonly string[]) =>
    `[${values
      .map((one) => JSON.stringify(one))
      .toSorted()
      .join(',')}]`,
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
