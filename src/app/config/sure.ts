/** A value of a file that its schema has let through; throws when it should not have. */
export function sure<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A checked configuration has a value that is not valid.')
  return value
}
