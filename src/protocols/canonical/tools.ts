import { arrayIn, defined, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import type { UnenforcedKeyword } from './codec.ts'
import { toJsonText } from './json-text.ts'
import type { CanonicalRequest, SearchLocation, SearchPart, Tool } from './request.ts'

/** Tools that a vendor runs and may bill by use, under one name across vendors. */
export const hostedTools = [
  'web_search',
  'web_search_preview',
  'x_search',
  'web_fetch',
  'url_context',
  /** Each container or sandbox of an answer; one of 4 GB counts 4. */
  'code_execution',
  'file_search',
  'image_generation',
  'computer_use',
  'maps_grounding',
  'mcp',
  'tool_search',
] as const
export type HostedTool = (typeof hostedTools)[number]

/** Whether a name is one of `hostedTools`. */
export const isHostedTool = (name: string): name is HostedTool =>
  hostedTools.some((each) => each === name)

/** The first tool of this name. Each list of tools is indexed once. */
export function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  let index = indexes.get(tools)
  if (index === undefined) {
    index = new Map()
    for (const tool of tools) if (!index.has(tool.name)) index.set(tool.name, tool)
    indexes.set(tools, index)
  }
  return index.get(name)
}

const indexes = new WeakMap<readonly Tool[], Map<string, Tool>>()

/** Arguments of a custom tool in a protocol with functions only: one text. */
export const customParameters: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
}

/** A tool's description for the model; a custom tool's grammar in words. */
export function describeTool({ description, grammar }: Tool): string | undefined {
  if (grammar === undefined) return description
  const rule = `The input must match this ${grammar.syntax} grammar:\n${grammar.definition}`
  return description === undefined ? rule : `${description}\n\n${rule}`
}

/** Keywords that OpenAI rejects at the root of a tool's schema, from its error message. */
export const openAiRoot = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'] as const

/** Anthropic's list of the same. */
export const anthropicRoot = ['oneOf', 'anyOf', 'allOf'] as const

type RootKeyword = (typeof openAiRoot)[number]

const phrases: { readonly [keyword in RootKeyword]: string } = {
  oneOf: 'Must fit exactly one of',
  anyOf: 'Must fit at least one of',
  allOf: 'Must fit all of',
  enum: 'One of',
  not: 'Must not fit',
}

/** A schema as a plain object: it gets its alternatives' properties, and a description of them. */
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

/** Tools of a request whose root has such keywords. */
export function findRootKeywords(
  { tools }: CanonicalRequest,
  refused: readonly RootKeyword[],
): readonly UnenforcedKeyword[] {
  return tools.flatMap(({ at = 'tools', parameters = {}, strict }) =>
    refused
      .filter((keyword) => parameters[keyword] !== undefined)
      .map((keyword) => ({ at, keyword, path: '', isTool: true, isStrict: strict === true })),
  )
}

/** A search's results as text, for a vendor that cannot take them otherwise. */
export function searchText({ queries, results }: Omit<SearchPart, 'type'>): string {
  const pages = results.map(({ title, url }) =>
    title === undefined || title === url ? `- ${url}` : `- ${title}: ${url}`,
  )
  const found = pages.length === 0 ? ['Nothing was found.'] : pages
  const asked = queries.map((query) => `Query: ${query}`)
  return ['<web_search>', ...asked, ...found, '</web_search>'].join('\n')
}

/** The user's location in the fields of OpenAI and Anthropic; undefined: none. */
export function decodeLocation(wire: JsonObject | undefined): SearchLocation | undefined {
  const location = defined({
    city: stringIn(wire, 'city'),
    region: stringIn(wire, 'region'),
    country: stringIn(wire, 'country'),
    timezone: stringIn(wire, 'timezone'),
  })
  return Object.keys(location).length === 0 ? undefined : location
}

/** The texts of a list; undefined when empty. */
export function textsIn(
  holder: JsonObject | undefined,
  key: string,
): readonly string[] | undefined {
  const texts = arrayIn(holder, key).filter((text) => typeof text === 'string')
  return texts.length === 0 ? undefined : texts
}
