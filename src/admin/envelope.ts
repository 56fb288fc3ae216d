import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { Fault } from './api-error.ts'
import { orNull } from './shapes.ts'

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
 * An integer of a query or a path. Its bounds are checked before decoding: Elysia recognizes a decoder's
 * error by its class name, which minifying may change.
 */
const WrittenInteger = (bounds: IntegerBounds) =>
  Type.Transform(Type.Unsafe<number>({ ...bounds, type: 'integer', [Kind]: kind }))
    .Decode(Number)
    .Encode((value) => value)

/** The answer that carries `data`. */
export const Answer = <Data extends TSchema>(data: Data) =>
  Type.Object({ code: Type.Literal(0), message: Type.String(), data })

const answering =
  (tag: 'Console' | 'Administration') =>
  <Data extends TSchema, Input extends object>(
    data: Data,
    summary: string,
    input: Input = {} as Input,
  ) => ({
    ...input,
    response: { 200: Answer(data) },
    detail: { tags: [tag], summary },
  })

/** The options of a route: `input` has the schemas of params, query and body. For all users, … */
export const forUsers = answering('Console')
/** … and for administrators. */
export const forAdmins = answering('Administration')

export const success = <Data>(data: Data) => ({ code: 0 as const, message: 'success', data })

/** The body of every refusal; `code` is the HTTP status. */
export const Failure = Type.Object({
  code: Type.Integer(),
  message: Type.String(),
  reason: Type.String({ description: 'Machine word of the cause, such as not_found.' }),
  field: Type.Optional(Type.String({ description: 'Path of the field at fault.' })),
  fault: Type.Optional(Fault),
  data: Type.Optional(Type.Unknown({ description: 'On a conflict: the present state.' })),
})
export type Failure = Static<typeof Failure>

export const ListOf = <Item extends TSchema>(item: Item) =>
  Type.Object({
    items: Type.Array(item),
    total: Type.Integer({ description: 'How many there are; counted no further than 10,000.' }),
    total_is_exact: Type.Boolean({ description: 'False: there are more than `total`.' }),
    page: Type.Integer({ description: 'Number of this page, from 1.' }),
    page_size: Type.Integer(),
    next: orNull(Type.String(), 'Cursor of the next page; null: this is the last.'),
  })

/** A page of a list that may take several searches to fill. */
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

/** An integer of a query. Its title is its name: validation errors of queries have no path. */
export const QueryInteger = (
  name: string,
  options: { minimum: number; maximum?: number; description?: string },
) => WrittenInteger({ maximum: Number.MAX_SAFE_INTEGER, ...options, title: name })

/** An id in a path. Larger integers are refused here: not every database takes them. */
export const Id = (description?: string) =>
  WrittenInteger({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    ...(description && { description }),
  })

export const defaultPageSize = 50

export const PageQuery = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 2000, description: '`next` of the last page.' })),
  page_size: Type.Optional(QueryInteger('page_size', { minimum: 1, maximum: 100 })),
})
export type PageQuery = Static<typeof PageQuery>
