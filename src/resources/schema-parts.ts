import { type TSchema, Type } from '@sinclair/typebox'
import type { ValueKind } from './values.ts'

interface Reading {
  readonly writeOnly?: true
  /** An empty text is an invalid value, not a missing one. */
  readonly isUnfitEmpty?: true
}

/** A value parsed from text as `reads` says. */
export const text = (reads: ValueKind, description: string, options: Reading = {}) =>
  Type.String({ description, reads, ...options })

/** A number whose decimals are parsed exactly, from the file's text. */
export const decimal = (reads: ValueKind, description: string, options: Reading = {}) =>
  Type.Union([Type.Number(), Type.String()], { description, reads, ...options })

/** An optional boolean. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
export const words = <const Word extends string>(allowed: readonly Word[], description: string) =>
  Type.Union(
    allowed.map((word) => Type.Literal(word)),
    { description },
  )
/** Words with a title each, for the description and complaints. */
export const titledWords = <const Word extends string>(
  allowed: readonly Word[],
  titleOf: (word: Word) => string,
) =>
  Type.Union(
    allowed.map((word) => Type.Literal(word, { title: titleOf(word) })),
    { description: allowed.map((word) => `${word}: ${titleOf(word)}`).join('; ') },
  )
export const orNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()], { description: schema.description ?? '' })
/** Refuses unknown keys. */
export const map = { additionalProperties: false } as const
export const optional = Type.Optional
/** An optional list that excludes everything else. A key without a value is an error; `whenEmpty` is the advice. */
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

/** Served countries: one of two lists. */
export const regions = (description: string) =>
  Type.Object(
    {
      allow: countries('These countries alone. Requests from unknown countries are refused.'),
      deny: countries('All countries but these. Requests from unknown countries are admitted.'),
    },
    {
      ...map,
      minProperties: 1,
      description: `${description} { allow: [CN, US] } or { deny: […] }.`,
      whenEmpty: 'write { allow: […] } or { deny: […] }, or remove the key for all countries',
    },
  )
