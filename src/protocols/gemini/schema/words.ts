import { toJsonText } from '../../canonical/json-text.ts'
import { isJsonObject, wordSet } from '../../json.ts'
import type { JsonObject } from '../../protocol.ts'

/** Writes a value of a schema as text, with what it refers to. */
export type Write = (value: unknown) => string

/** Moves unsupported keywords into the description, as sentences; undefined without any. */
export function describeKeywords(schema: JsonObject, write: Write) {
  let described: [keyword: string, sentences: readonly string[]][] | undefined
  for (const keyword in schema) {
    if (keptKeywords.has(keyword) && !isSpecial(schema, keyword)) continue
    const sentences = sentencesOf(keyword, schema, write)
    if (sentences !== undefined) {
      described ??= []
      described.push([keyword, sentences])
    }
  }
  if (described === undefined) return undefined
  const keywords = described.map(([keyword]) => keyword)
  const rest: Record<string, unknown> = { ...schema }
  for (const keyword of keywords) delete rest[keyword]
  const notes = described.flatMap(([, sentences]) => sentences)
  return { schema: withNotes(rest, notes), keywords }
}

/** A schema with sentences appended to its description. */
export function withNotes(schema: JsonObject, notes: readonly string[]): JsonObject {
  const { description } = schema
  const lines = typeof description === 'string' ? [description, ...notes] : notes
  return { ...schema, description: lines.join('\n') }
}

/** A constraint that applies beside others which no single schema can express. */
export const describeAlso = (schema: unknown, write: Write): string =>
  `Must fit this, too: ${write(schema)}.`

export const nothingFits = 'No value is allowed here: leave it out.'

export const describeReference = (reference: unknown): string => `As described at ${reference}.`

/** Keywords that the vendor supports, but not in this combination. */
function isSpecial({ anyOf, oneOf, enum: values }: JsonObject, keyword: string): boolean {
  if (keyword === 'oneOf') return anyOf !== undefined
  if (keyword !== 'enum' || !Array.isArray(values)) return false
  // A null among values becomes a choice, and a schema has room for one.
  const hasChoice = anyOf !== undefined || oneOf !== undefined
  return values.length === 0 || (hasChoice && values.includes(null))
}

function sentencesOf(keyword: string, schema: JsonObject, write: Write) {
  const value = schema[keyword]
  if (value === undefined || annotations.has(keyword) || keyword.startsWith('x-')) return undefined
  const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined
  const sentences = rule ? rule(value, write, schema) : [`${keyword}: ${write(value)}.`]
  return sentences.length === 0 ? undefined : sentences
}

type Rule = (value: unknown, write: Write, schema: JsonObject) => readonly string[]

const isAny = (value: unknown) =>
  value === true || (isJsonObject(value) && Object.keys(value).length === 0)
const isAnyText = (value: unknown) =>
  isJsonObject(value) && value.type === 'string' && Object.keys(value).length === 1

const nothing: readonly string[] = []

const each =
  (sentence: (name: string, value: unknown, write: Write) => string): Rule =>
  (value, write) =>
    isJsonObject(value)
      ? Object.entries(value).map(([name, member]) => sentence(name, member, write))
      : nothing

const others =
  (what: string): Rule =>
  (value, write) => {
    if (isAny(value)) return nothing
    return [value === false ? `No other ${what}.` : `Other ${what} must fit: ${write(value)}.`]
  }

const tellDependency = (name: string, value: unknown, write: Write) =>
  Array.isArray(value)
    ? `Where "${name}" is given, these are required: ${value.map((other) => `"${other}"`).join(', ')}.`
    : `Where "${name}" is given, it must fit: ${write(value)}.`

/** A keyword's sentences; all others are written as JSON. */
const rules: { readonly [keyword: string]: Rule } = {
  not: (value, write) => [`Must not fit: ${write(value)}.`],
  propertyNames: (value, write) =>
    isAny(value) || isAnyText(value) ? nothing : [`Each property name must fit: ${write(value)}.`],
  patternProperties: each(
    (pattern, value, write) => `Properties named like ${pattern} must fit: ${write(value)}.`,
  ),
  dependentRequired: each(tellDependency),
  dependentSchemas: each(tellDependency),
  dependencies: each(tellDependency),
  unevaluatedProperties: others('properties'),
  unevaluatedItems: others('items'),
  contains(value, write, { minContains = 1, maxContains }) {
    const most = maxContains === undefined ? '' : ` and at most ${maxContains}`
    return [`At least ${minContains}${most} of the items must fit: ${write(value)}.`]
  },
  if(value, write, { then, else: otherwise }) {
    const when = (word: string, rule: unknown) =>
      rule === undefined ? [] : [`If it ${word} ${write(value)}, it must fit: ${write(rule)}.`]
    return [...when('fits', then), ...when('does not fit', otherwise)]
  },
  oneOf: (value, write) => [
    `Must fit exactly one of: ${(Array.isArray(value) ? value : []).map(write).join('; ')}.`,
  ],
  enum(value, write) {
    const values: readonly unknown[] = Array.isArray(value) ? value : []
    return [values.length === 0 ? nothingFits : `One of: ${values.map(write).join(', ')}.`]
  },
}

/** A value as JSON; `…` if nested too deep. */
export const asJson: Write = (value) => toJsonText(value) ?? '…'

/** Keywords that the vendor supports, or that are handled elsewhere. */
const keptKeywords = wordSet(`
  type nullable title description default enum const format pattern minLength maxLength minimum
  maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems items
  prefixItems additionalItems properties required additionalProperties minProperties maxProperties
  propertyOrdering anyOf oneOf allOf $ref $defs definitions contentEncoding contentMediaType
`)

const annotations = wordSet(`
  examples example deprecated readOnly writeOnly $comment $schema $id id $anchor $dynamicAnchor
  $recursiveAnchor $vocabulary discriminator xml externalDocs then else minContains maxContains
  markdownDescription enumNames enumDescriptions errorMessage defaultSnippets deprecationMessage
  doNotSuggest strict
`)
