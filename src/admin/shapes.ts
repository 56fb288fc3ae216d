import { type TSchema, Type } from '@sinclair/typebox'

export const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

export const oneOf = <const Words extends readonly string[]>(words: Words, description?: string) =>
  Type.Unsafe<Words[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      description === undefined ? {} : { description },
    ),
  )

/** What a list is sorted by: one of these names, or with a minus in front: from the highest on. */
export type Sort<Name extends string> = Name | `-${Name}`

/** The usual order of what goes on and on. */
export const newestFirst = 'the newest first'

/** The `sort` of a list's query; `usual` says how it is sorted without one. */
export const SortBy = <const Names extends readonly string[]>(names: Names, usual: string) => {
  const words = names.flatMap((name) => [name, `-${name}`])
  return Type.Optional(
    Type.Unsafe<Sort<Names[number]>>(
      Type.Union(
        words.map((word) => Type.Literal(word)),
        {
          // Validation errors of queries have no path.
          title: 'sort',
          description: `With a minus: from the highest, or the latest, on. Left out: ${usual}.`,
        },
      ),
    ),
  )
}

export const Named = Type.Object({ id: Type.Integer(), name: Type.String() })

export const Remarks = Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))

export const Role = oneOf(['admin', 'user'])

export const Outcome = oneOf(['succeeded', 'failed', 'any'])

export const ExportFormat = Type.Union([Type.Literal('csv'), Type.Literal('jsonl')], {
  default: 'csv',
})

/** Proves the user's identity again, where a session alone is not enough. */
export const Proof = Type.Object({
  password: orNull(
    Type.String({ minLength: 1, maxLength: 1000 }),
    'Null: the account has none, and signed in within ten minutes.',
  ),
})
