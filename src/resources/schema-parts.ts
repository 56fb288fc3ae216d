import { type TSchema, Type } from '@sinclair/typebox'
import type { ValueKind } from './values.ts'

interface Reading {
  readonly writeOnly?: true
  /** An empty text is no worse than any other that does not fit; else it counts as missing. */
  readonly isUnfitEmpty?: true
}

/** A value that is read from its text as `reads` says. */
export const text = (reads: ValueKind, description: string, options: Reading = {}) =>
  Type.String({ description, reads, ...options })

/** A number whose decimals are read exactly, from the text in the file. */
export const decimal = (reads: ValueKind, description: string, options: Reading = {}) =>
  Type.Union([Type.Number(), Type.String()], { description, reads, ...options })

/** true or false; may be left out. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
/** One of a few words. */
export const words = <const Word extends string>(allowed: readonly Word[], description: string) =>
  Type.Union(
    allowed.map((word) => Type.Literal(word)),
    { description },
  )
/** The same where words need a title each: the description and complaints tell them. */
export const titledWords = <const Word extends string>(
  allowed: readonly Word[],
  titleOf: (word: Word) => string,
) =>
  Type.Union(
    allowed.map((word) => Type.Literal(word, { title: titleOf(word) })),
    { description: allowed.map((word) => `${word}: ${titleOf(word)}`).join('; ') },
  )
/** The same, or null for: not set. */
export const orNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()], { description: schema.description ?? '' })
/** Unknown keys are errors. */
export const map = { additionalProperties: false } as const
/** A key that may be left out. */
export const optional = Type.Optional
/**
 * A list that shuts out what is not in it, and may be left out: then nothing is. Its key with nothing
 * behind it, as where somebody has taken the last entry away, is a fault: `whenEmpty` says what to do.
 */
export const onlyThese = <Item extends TSchema>(
  item: Item,
  { description, whenEmpty }: { readonly description: string; readonly whenEmpty: string },
) => optional(Type.Array(item, { description, whenEmpty }))
const countries = (description: string) =>
  optional(
    Type.Array(text('country', 'Code of a country, such as US (ISO 3166-1 alpha-2).'), {
      description,
      minItems: 1,
      whenEmpty: 'list the countries, or remove regions for all',
    }),
  )

/** Countries that are served: one of two lists. */
export const regions = (description: string) =>
  Type.Object(
    {
      allow: countries('These countries alone. Who comes from an unknown one is refused.'),
      deny: countries('All countries but these. Who comes from an unknown one is let through.'),
    },
    {
      ...map,
      minProperties: 1,
      description: `${description} { allow: [CN, US] } or { deny: […] }.`,
      whenEmpty: 'write { allow: […] } or { deny: […] }, or remove the key for all countries',
    },
  )
