import type { TSchema } from '@sinclair/typebox'

/** The option of a field. */
export interface Flag {
  /** Such as `--budget-day`. */
  readonly name: string
  /** Such as `<usd>`; absent for a switch. */
  readonly value?: string
  readonly help: string
  /** The default of `add`, for --help. */
  readonly usual?: string
  readonly isRequired?: boolean
  /** One comma-separated argument. */
  readonly hasCommas?: boolean
  /** May stand several times. */
  readonly isRepeated?: boolean
  /** Help of the `--no-…` option. */
  readonly off?: string
  /** An option of `set` that clears the value, such as `--open`, and its help. */
  readonly clearedBy?: readonly [name: string, help: string]
  /** The key within the value that it sets. */
  readonly within?: string
  /** The option itself clears the value. */
  readonly clears?: boolean
  /** Whether `set` has the option; `only`: `add` does not. */
  readonly canSet?: boolean | 'only'
}

/** What a definition says of a field besides its kind. */
export interface Spec {
  /** Its property in values. */
  readonly as: string
  /** Its column; also its name in the audit. */
  readonly column: string
  /** One sentence for the schema, the API documentation and `tollgate init`. */
  readonly help: string
  readonly flag?: Flag
  /** Several options of which one may be named. */
  readonly flags?: readonly Flag[]
  /** The value in `tollgate init`, instead of the default. */
  readonly example?: string
  /** The title of its line in `show`. */
  readonly title?: string
  /** Whether lists have a column for it; a text is its heading. */
  readonly isListed?: boolean | string
  /** Aligned right in lists. */
  readonly isRight?: boolean
  /** Shown for null, or for a switch that is off; `yes`: for a switch that is on. */
  readonly none?: string
  readonly yes?: string
  /** The key in the file, if it differs. */
  readonly fileKey?: string
  /** A file without the key keeps the stored value. */
  readonly keeps?: boolean
  /** Exported even if it has the default. */
  readonly isAlwaysSaid?: boolean
  /** Its name in refusals: an owner may not raise it after an operator has lowered it. */
  readonly restrains?: string
}

/** The conversions of a kind that is the same everywhere: in columns, reports, the API, options and the file. */
export function plain<Value>() {
  const asItIs = (value: Value): Value => value
  return {
    ...{ toFile: asItIs, toCell: asItIs, fromCell: asItIs, toReport: asItIs, toView: asItIs },
    /** Converts a value of the API or an option to one of the file. */
    toWritten: (given: unknown): unknown => given,
    /** The text that a plan compares and shows. */
    text: String as (value: Value) => string,
    /** The text for people of a reported value; null is shown as `none`. */
    show: String as (reported: never) => string,
  }
}

/** A value stored as JSON. */
export function stored<Value>() {
  type Cell = null extends Value ? string | null : string
  return {
    ...plain<Value>(),
    isJson: true as const,
    toCell: (value: Value) => (value === null ? null : JSON.stringify(value)) as Cell,
    fromCell: (cell: Cell) => (cell === null ? null : JSON.parse(cell)) as Value,
  }
}

interface Named extends Omit<Spec, 'column'> {
  /** Absent for a part with columns of its own, and for references. */
  readonly column?: string
  readonly isJson?: boolean
  readonly file: TSchema
  show?(reported: unknown): string
}

export interface AnyField extends Named {
  /** The unit that ends its name in reports. */
  readonly suffix?: string
  /** Stored as 0 or 1. */
  readonly isFlag?: boolean
  /** The option's word that clears the value (`none` always does), and what that means. */
  readonly clear?: readonly [word: string, says: string]
  readonly initial: unknown
  readonly view: TSchema
  readonly patch: TSchema
  fromFile(written: unknown): unknown
  toFile(value: unknown): unknown
  /** Undefined: not given. */
  toWritten(given: unknown): unknown
  toCell(value: unknown): unknown
  fromCell(cell: unknown): unknown
  toReport(value: unknown): unknown
  toView(value: unknown): unknown
  /** Whether `text` has whole names of a plan, not parts of this field's. */
  readonly ownsPlanNames?: boolean
  /** An object: several fields of a plan. */
  text(value: unknown): string | { readonly [name: string]: string }
  show(reported: unknown): string
  /** The same for lists. */
  brief?(reported: unknown): string
}

export interface AnyPart extends Named {
  readonly part: Definition
  readonly short?: string
}

/** Fields by their keys in the console's API. */
export interface Definition {
  readonly [key: string]: AnyField | AnyPart
}
