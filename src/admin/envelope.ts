import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { Fault } from './api-error.ts'
import { orNull } from './shapes.ts'

/** What a written integer must keep to. Its name, where it has one, is its title, too. */
interface IntegerBounds {
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
const WrittenInteger = (bounds: IntegerBounds) =>
  Type.Transform(Type.Unsafe<number>({ ...bounds, type: 'integer', [Kind]: kind }))
    .Decode(Number)
    .Encode((value) => value)

/** The answer that carries `data`: CONTRACT 7. */
export const Answer = <Data extends TSchema>(data: Data) =>
  Type.Object({ code: Type.Literal(0), message: Type.String(), data })

const told =
  (tag: 'Console' | 'Administration') =>
  <Data extends TSchema>(data: Data, summary: string) => ({
    response: { 200: Answer(data) },
    detail: { tags: [tag], summary },
  })

/** What a route answers with and does, of the console for everybody, … */
export const forUsers = told('Console')
/** … and of administrators. */
export const forAdmins = told('Administration')

/** Wraps what a service returned. */
export const success = <Data>(data: Data) => ({ code: 0 as const, message: 'success', data })

/** What every refusal looks like; `code` is the HTTP status. */
export const Failure = Type.Object({
  code: Type.Integer(),
  message: Type.String(),
  reason: Type.String({ description: 'Machine word of the cause, such as not_found.' }),
  field: Type.Optional(Type.String({ description: 'Path of the field at fault.' })),
  fault: Type.Optional(Fault),
  data: Type.Optional(Type.Unknown({ description: 'On a conflict: the present state.' })),
})
export type Failure = Static<typeof Failure>

/** A page of a list. */
export const ListOf = <Item extends TSchema>(item: Item) =>
  Type.Object({
    items: Type.Array(item),
    total: Type.Integer({ description: 'How many there are; counted no further than 10,000.' }),
    total_is_exact: Type.Boolean({ description: 'False: there are more than `total`.' }),
    page: Type.Integer({ description: 'Number of this page, from 1.' }),
    page_size: Type.Integer(),
    next: orNull(Type.String(), 'Cursor of the next page; null: this is the last.'),
  })

/** A page of a list whose rare rows may have to be looked for. */
export const SearchedListOf = <Item extends TSchema>(item: Item) =>
  Type.Composite([
    ListOf(item),
    Type.Object({
      searched_back_to: orNull(
        Type.String(),
        'Looking took too long: all since then is here, and `next` goes on. Null: all is here.',
      ),
    }),
  ])

/** An integer of a query. What does not fit is found without its path: the name is its title, too. */
export const QueryInteger = (
  name: string,
  options: { minimum: number; maximum?: number; description?: string },
) => WrittenInteger({ maximum: Number.MAX_SAFE_INTEGER, ...options, title: name })

/** The id of something in a path. A larger one than fits here is none: not every database takes it. */
export const Id = (description?: string) =>
  WrittenInteger({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    ...(description && { description }),
  })

/** Rows of a page where nobody asks for a number. */
export const defaultPageSize = 50

/** Which page is asked for. */
export const PageQuery = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 2000, description: '`next` of the last page.' })),
  page_size: Type.Optional(QueryInteger('page_size', { minimum: 1, maximum: 100 })),
})
export type PageQuery = Static<typeof PageQuery>
