/** Something that goes with a note: `since_at`, `spent_usd` … */
export type Param = string | number | readonly string[]
export type Params = Readonly<Record<string, Param>>

/** A piece of a sentence; `name` is set where it is what was filled in. */
export interface Piece {
  readonly text: string
  readonly name?: string
}

/**
 * Fills a sentence's `{names}`. What is filled in stays a piece of its own: it is strangers' text, and
 * is never looked into again. A name that nothing goes with stays as it is.
 */
export function fill(
  sentence: string,
  params: Params,
  show: (name: string, value: Param) => string,
): readonly Piece[] {
  return sentence
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1]
      if (name === undefined || !Object.hasOwn(params, name)) return { text: part }
      return { text: show(name, params[name] ?? ''), name }
    })
}
