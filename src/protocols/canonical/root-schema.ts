import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import type { ToldKeyword } from './codec.ts'
import { toJsonText } from './json-text.ts'
import type { CanonicalRequest } from './request.ts'

/**
 * Keywords that OpenAI refuses at the root of a tool's schema. Source: its error "schema must have type
 * 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level".
 */
export const openAiRoot = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'] as const

/**
 * The same of Anthropic. Source: its error "input_schema does not support oneOf, allOf, or anyOf at the top
 * level".
 */
export const anthropicRoot = ['oneOf', 'anyOf', 'allOf'] as const

type RootKeyword = (typeof openAiRoot)[number]

const phrases: { readonly [keyword in RootKeyword]: string } = {
  oneOf: 'Must fit exactly one of',
  anyOf: 'Must fit at least one of',
  allOf: 'Must fit all of',
  enum: 'One of',
  not: 'Must not fit',
}

/**
 * A schema of arguments that is an object by itself: the properties of its alternatives are its own, and
 * which of them go together is told in its description. One that is so already comes out as it is.
 */
export function plainRoot(schema: JsonObject, refused: readonly RootKeyword[]): JsonObject {
  const found = refused.filter((keyword) => schema[keyword] !== undefined)
  if (found.length === 0) return schema
  const rest: Record<string, unknown> = { ...schema, type: 'object' }
  const lines = typeof schema.description === 'string' ? [schema.description] : []
  const properties: [string, unknown][] = []
  for (const keyword of found) {
    delete rest[keyword]
    lines.push(`${phrases[keyword]}: ${toJsonText(schema[keyword]) ?? '…'}.`)
    if (keyword !== 'not') properties.push(...propertiesIn(schema[keyword]))
  }
  const own = isJsonObject(schema.properties) ? schema.properties : {}
  return {
    ...rest,
    description: lines.join('\n'),
    properties: Object.fromEntries([...properties, ...Object.entries(own)]),
  }
}

function propertiesIn(members: unknown): readonly [string, unknown][] {
  const list: readonly unknown[] = Array.isArray(members) ? members : []
  return list.flatMap((member) => {
    const properties = isJsonObject(member) ? member.properties : undefined
    return isJsonObject(properties) ? Object.entries(properties) : []
  })
}

/** Where tools of a request have such keywords. */
export function findRootKeywords(
  { tools }: CanonicalRequest,
  refused: readonly RootKeyword[],
): readonly ToldKeyword[] {
  return tools.flatMap(({ at = 'tools', parameters = {}, strict }) =>
    refused
      .filter((keyword) => parameters[keyword] !== undefined)
      .map((keyword) => ({
        ...{ at, keyword, path: '' },
        ...{ isTool: true, isStrict: strict === true },
      })),
  )
}
