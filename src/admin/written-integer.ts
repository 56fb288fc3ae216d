import { Kind, Type, TypeRegistry } from '@sinclair/typebox'

/** What a written integer must keep to. Its name, where it has one, is its title, too. */
export interface IntegerBounds {
  readonly minimum: number
  readonly maximum: number
  readonly title?: string
  readonly description?: string
}

const kind = 'WrittenInteger'

TypeRegistry.Set<IntegerBounds>(kind, ({ minimum, maximum }, value) => {
  if (typeof value === 'number') return Number.isInteger(value) && isWithin(value)
  return typeof value === 'string' && /^-?\d{1,16}$/.test(value) && isWithin(Number(value))

  function isWithin(number: number): boolean {
    return number >= minimum && number <= maximum
  }
})

/**
 * An integer that is written in a query or a path. The schema's check holds its bounds, and decoding
 * only makes a number of it: a decoder that throws is told from other errors by the name of its class,
 * which a compiler may change.
 */
export const WrittenInteger = (bounds: IntegerBounds) =>
  Type.Transform(Type.Unsafe<number>({ ...bounds, type: 'integer', [Kind]: kind }))
    .Decode(Number)
    .Encode((value) => value)
