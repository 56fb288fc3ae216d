/** Reads a JSON column that `write` filled: its type is the writer's promise, not checked again. */
export function parseColumn<Value>(text: string): Value {
  return JSON.parse(text) as Value
}

const emptyList: readonly never[] = []

/** A column that holds a list of strings; the empty list, the usual one, is shared. */
export function parseList(text: string): readonly string[] {
  return text === '[]' ? emptyList : parseColumn<readonly string[]>(text)
}
