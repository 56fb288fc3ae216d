import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import {
  formats,
  type Told,
  tellBounds,
  tellRest,
  tellValues,
  typeField,
  typesIn,
} from './schema-values.ts'

/** Turns a schema within this one; its place is a keyword, and what of that it is. */
type Convert = (member: unknown, keyword: string, which?: string | number) => JsonObject

/** The vendor's form of a schema that has no `allOf`, no reference and no keyword it can't have. */
export function buildSchema(schema: JsonObject, convertMember: Convert): JsonObject {
  const has = topicsIn(schema)
  const types = has & topic.type ? typesIn(schema) : nothing
  const values = has & topic.values ? tellAllowed(schema, types) : undefined
  const bounds = has & topic.bounds ? tellBounds(schema, types.includes('integer')) : undefined
  const choice = has & topic.choice ? buildChoice(schema, convertMember) : undefined
  const built: Record<string, unknown> = {}
  if (has & topic.words) {
    pick(schema, heads, built)
    if (typeof schema.description === 'string') built.description = schema.description
  }
  addNotes(values?.notes, built)
  addNotes(bounds?.notes, built)
  if (has & topic.rest) addNotes(tellRest(schema), built)
  addNotes(choice?.notes, built)
  if (values) Object.assign(built, values.fields)
  else Object.assign(built, typeField(types))
  if (has & topic.rest) pickFormat(schema, built)
  if (bounds) Object.assign(built, bounds.fields)
  if (has & topic.lengths) pick(schema, lengths, built)
  if (has & topic.items) addItems(schema, convertMember, built)
  if (has & topic.properties) addProperties(schema, convertMember, built)
  if (choice) Object.assign(built, choice.fields)
  if (has & topic.tails) pick(schema, tails, built)
  return built
}

/**
 * What a schema speaks of, as bits: it has few of the keywords, and a request may have many thousand
 * schemas, so each keyword that is there is looked at, and not each that could be.
 */
function topicsIn(schema: JsonObject): number {
  let has = 0
  for (const keyword in schema) has |= topicOf.get(keyword) ?? 0
  return has
}

const nothing: readonly string[] = []
const heads = ['title']
const lengths = ['minLength', 'maxLength', 'pattern', 'minProperties', 'maxProperties']
const itemBounds = ['minItems', 'maxItems']
const tails = ['default', 'propertyOrdering']

const keywords = {
  words: [...heads, 'description'],
  type: ['type', 'nullable'],
  values: ['enum', 'const'],
  bounds: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  choice: ['anyOf', 'oneOf'],
  rest: ['multipleOf', 'uniqueItems', 'contentEncoding', 'contentMediaType', 'format'],
  lengths,
  items: ['items', 'prefixItems', 'additionalItems', ...itemBounds],
  properties: ['properties', 'required', 'additionalProperties'],
  tails,
}
type Topic = keyof typeof keywords
const topics = Object.keys(keywords) as Topic[]
const topic = Object.fromEntries(topics.map((name, at) => [name, 1 << at])) as Record<Topic, number>
const topicOf: ReadonlyMap<string, number> = new Map(
  topics.flatMap((name) => keywords[name].map((keyword) => [keyword, topic[name]] as const)),
)

/** What only words can tell, a line each behind what the description has. */
function addNotes(notes: readonly string[] | undefined, into: Record<string, unknown>): void {
  if (!notes || notes.length === 0) return
  const told = notes.join('\n')
  into.description = into.description === undefined ? told : `${into.description}\n${told}`
}

function tellAllowed(schema: JsonObject, types: readonly string[]): Told | undefined {
  const allowed = schema.const === undefined ? schema.enum : [schema.const]
  return Array.isArray(allowed) ? tellValues(allowed, types) : undefined
}

function pickFormat({ format }: JsonObject, into: Record<string, unknown>): void {
  if (typeof format === 'string' && formats.has(format)) into.format = format
}

function pick(schema: JsonObject, keys: readonly string[], into: Record<string, unknown>): void {
  for (const key of keys) {
    if (schema[key] !== undefined) into[key] = schema[key]
  }
}

/** Drafts before 2020 have the items of a tuple in `items`, and what follows in `additionalItems`. */
function addItems(schema: JsonObject, convertMember: Convert, into: Record<string, unknown>): void {
  const { items, prefixItems, additionalItems } = schema
  const isOld = Array.isArray(items)
  const tuple = isOld ? items : prefixItems
  const rest = isOld ? additionalItems : items
  if (Array.isArray(tuple)) {
    into.prefixItems = tuple.map((item, index) => convertMember(item, 'prefixItems', index))
  }
  if (rest !== undefined && typeof rest !== 'boolean') into.items = convertMember(rest, 'items')
  pick(schema, itemBounds, into)
  if (rest !== false) return
  // Nothing may follow: as a limit of the length.
  const length = Array.isArray(tuple) ? tuple.length : 0
  into.maxItems = typeof into.maxItems === 'number' ? Math.min(into.maxItems, length) : length
}

function addProperties(
  schema: JsonObject,
  convertMember: Convert,
  into: Record<string, unknown>,
): void {
  const { properties, required, additionalProperties: extra } = schema
  const names = Array.isArray(required)
    ? required.filter((name): name is string => typeof name === 'string')
    : nothing
  const known = isJsonObject(properties) ? properties : undefined
  const entries: [string, JsonObject][] = []
  for (const name in known) {
    if (Object.hasOwn(known, name)) {
      entries.push([name, convertMember(known[name], 'properties', name)])
    }
  }
  for (const name of names) {
    // The vendor refuses to require what is not described.
    if (known === undefined || !Object.hasOwn(known, name)) entries.push([name, {}])
  }
  if (known || entries.length > 0) into.properties = Object.fromEntries(entries)
  if (names.length > 0) into.required = names
  if (typeof extra === 'boolean') into.additionalProperties = extra
  else if (isJsonObject(extra)) {
    into.additionalProperties = convertMember(extra, 'additionalProperties')
  }
}

/** `anyOf`, and `oneOf` as it: the vendor reads them alike. */
function buildChoice(schema: JsonObject, convertMember: Convert): Told | undefined {
  const key = schema.anyOf === undefined ? 'oneOf' : 'anyOf'
  const list = schema[key]
  if (!Array.isArray(list)) return undefined
  if (list.every((member) => requiredOnly(member) !== undefined)) {
    const sets = list.map(requiredOnly)
    // The vendor refuses to require, in a choice, what is described outside of it.
    const word = key === 'anyOf' ? 'At least one' : 'Exactly one'
    const told = sets.map((names = nothing) => names.join(' and ')).join('; ')
    return { fields: {}, notes: [`${word} of these must be given: ${told}.`] }
  }
  const members = list.flatMap((member: unknown, index) =>
    member === false ? [] : [convertMember(member, key, index)],
  )
  return { fields: { anyOf: members }, notes: [] }
}

/** The names that a schema requires, if it says nothing else. */
function requiredOnly(schema: unknown): readonly string[] | undefined {
  if (!isJsonObject(schema) || Object.keys(schema).length !== 1) return undefined
  const { required } = schema
  return Array.isArray(required) && required.length > 0 ? required.map(String) : undefined
}
