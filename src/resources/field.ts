import type { TSchema } from '@sinclair/typebox'

/** How commands name a field. */
export interface Flag {
  /** Such as `--budget-day`. */
  readonly name: string
  /** What stands behind it, such as `<usd>`; left out for a switch. */
  readonly value?: string
  readonly help: string
  /** What holds where `add` does not name it. */
  readonly usual?: string
  /** `add` needs it. */
  readonly isRequired?: boolean
  /** One text with commas between, not several arguments. */
  readonly hasCommas?: boolean
  /** What `--no-…` of a switch does. */
  readonly off?: string
  /** A switch of `set` that takes the value away, such as `--open`, and what it does. */
  readonly clearedBy?: readonly [name: string, help: string]
  /** Whether `set` has it, too; `only`: `add` has it not. */
  readonly canSet?: boolean | 'only'
}

/** What is said of a field beside its kind. */
export interface Spec {
  /** Its name in the program. */
  readonly as: string
  /** Its column, by which the audit names it, too. */
  readonly column: string
  /** One sentence, for the schema, the API's documentation and `tollgate init`. */
  readonly help: string
  readonly flag?: Flag
  /** What `tollgate init` shows, where its usual value says little. */
  readonly example?: string
  /** How commands show it: the title of its line, … */
  readonly title?: string
  /** … whether lists have it, and under which head if not the title; … */
  readonly isListed?: boolean | string
  /** Numbers stand at the right of a column; … */
  readonly isRight?: boolean
  /** … and what they say of none (of a switch: that is off), and of a switch that is on. */
  readonly none?: string
  readonly yes?: string
  /** The key of the file, where it is not the field's. */
  readonly fileKey?: string
  /** The file leaves it as it is where it does not name it. */
  readonly keeps?: boolean
  /** An export says it even where it is as it would be without. */
  readonly isAlwaysSaid?: boolean
  /** What an owner may not raise again once an operator has lowered it, such as `its limit rpm`. */
  readonly restrains?: string
}

/**
 * What holds for a kind that says nothing else: columns, reports, the API, options and the file have the
 * value as the program has it.
 */
export function plain<Value>() {
  const asItIs = (value: Value): Value => value
  return {
    ...{ toFile: asItIs, toCell: asItIs, fromCell: asItIs, toReport: asItIs, toView: asItIs },
    /** From what the API, or an option, gives to what the file would say. */
    toWritten: (given: unknown): unknown => given,
    /** As a plan compares and shows it. */
    text: String as (value: Value) => string,
    /** What a report says of it, for people; null is shown as `none`. */
    show: String as (reported: never) => string,
  }
}

/** A value that its column has as JSON. */
export function stored<Value>() {
  type Cell = null extends Value ? string | null : string
  return {
    ...plain<Value>(),
    isJson: true as const,
    toCell: (value: Value) => (value === null ? null : JSON.stringify(value)) as Cell,
    fromCell: (cell: Cell) => (cell === null ? null : JSON.parse(cell)) as Value,
  }
}

/** What fields and parts have in common. */
interface Named {
  readonly as: string
  readonly help: string
  /** Left out for a part with columns of its own, and for what another table has. */
  readonly column?: string
  readonly isJson?: boolean
  readonly keeps?: boolean
  readonly title?: string
  readonly isListed?: boolean | string
  readonly isRight?: boolean
  readonly file: TSchema
  show?(reported: unknown): string
}

/** A field, whatever its kind. */
export interface AnyField extends Named {
  /** The key of the file, where it is not the field's. */
  readonly fileKey?: string
  /** The end of its name in reports: the unit. */
  readonly suffix?: string
  readonly flag?: Flag
  /** Its cells are 0 or 1. */
  readonly isFlag?: boolean
  readonly isAlwaysSaid?: boolean
  readonly restrains?: string
  readonly none?: string
  /** The word by which an option takes the value away, and what comes of that. */
  readonly clear?: readonly [word: string, says: string]
  readonly initial: unknown
  readonly view: TSchema
  readonly patch: TSchema
  fromFile(written: unknown): unknown
  toFile(value: unknown): unknown
  toWritten(given: unknown): unknown
  toCell(value: unknown): unknown
  fromCell(cell: unknown): unknown
  toReport(value: unknown): unknown
  toView(value: unknown): unknown
  /** Several texts by their names, where a plan tells them apart. */
  text(value: unknown): string | { readonly [name: string]: string }
  show(reported: unknown): string
  /** The same in a list. */
  brief?(reported: unknown): string
}

export interface AnyPart extends Named {
  readonly part: Definition
  readonly short?: string
}

/** Fields by their keys in the console's API; the file's are mostly the same. */
export interface Definition {
  readonly [key: string]: AnyField | AnyPart
}
