import { type TSchema, Type } from '@sinclair/typebox'

/** What may be missing. */
export const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

/** One word of a list. */
export const oneOf = <const Words extends readonly string[]>(words: Words, description?: string) =>
  Type.Unsafe<Words[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      description === undefined ? {} : { description },
    ),
  )

/** Another resource that one refers to. */
export const Named = Type.Object({ id: Type.Integer(), name: Type.String() })

/** What is odd about a resource, by its fields. */
export const Remarks = Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))

/** What a person may do. */
export const Role = Type.Union([Type.Literal('admin'), Type.Literal('user')])

/** Whether requests are meant that went well. */
export const Outcome = Type.Union([
  Type.Literal('succeeded'),
  Type.Literal('failed'),
  Type.Literal('any'),
])

/** As what a list is exported. */
export const ExportFormat = Type.Union([Type.Literal('csv'), Type.Literal('jsonl')], {
  default: 'csv',
})

/** Says anew who asks, for what a session alone must not have. */
export const Proof = Type.Object({
  password: orNull(
    Type.String({ minLength: 1, maxLength: 1000 }),
    'Null: the account has none, and signed in within ten minutes.',
  ),
})
