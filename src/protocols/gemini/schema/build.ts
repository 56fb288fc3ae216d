import { toJsonText } from '../../canonical/json-text.ts'
import { isJsonObject, wordSet } from '../../json.ts'
import type { JsonObject } from '../../protocol.ts'

type Convert = (member: unknown, keyword: string, which?: string | number) => JsonObject

/** The vendor's form of a schema without `allOf`, references or unsupported keywords. */
export function buildSchema(schema: JsonObject, convertMember: Convert): JsonObject {
  const has = topicsIn(schema)
  const types = has & topic.type ? typesIn(schema) : nothing
  const values = has & topic.values ? tellAllowed(schema, types) : undefined
  const bounds = has & topic.bounds ? describeBounds(schema, types.includes('integer')) : undefined
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

function addNotes(notes: readonly string[] | undefined, into: Record<string, unknown>): void {
  if (!notes || notes.length === 0) return
  const told = notes.join('\n')
  into.description = into.description === undefined ? told : `${into.description}\n${told}`
}

function tellAllowed(schema: JsonObject, types: readonly string[]): Told | undefined {
  const allowed = schema.const === undefined ? schema.enum : [schema.const]
  return Array.isArray(allowed) ? describeValues(allowed, types) : undefined
}

function pickFormat({ format }: JsonObject, into: Record<string, unknown>): void {
  if (typeof format === 'string' && formats.has(format)) into.format = format
}

function pick(schema: JsonObject, keys: readonly string[], into: Record<string, unknown>): void {
  for (const key of keys) {
    if (schema[key] !== undefined) into[key] = schema[key]
  }
}

/** Drafts before 2020 have tuple items in `items`, and the rest in `additionalItems`. */
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
  // No further items: becomes a limit of the length.
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
    // The vendor rejects required properties without a schema.
    if (known === undefined || !Object.hasOwn(known, name)) entries.push([name, {}])
  }
  if (known || entries.length > 0) into.properties = Object.fromEntries(entries)
  if (names.length > 0) into.required = names
  if (typeof extra === 'boolean') into.additionalProperties = extra
  else if (isJsonObject(extra)) {
    into.additionalProperties = convertMember(extra, 'additionalProperties')
  }
}

/** `anyOf` and `oneOf` become `anyOf`: the vendor reads them alike. */
function buildChoice(schema: JsonObject, convertMember: Convert): Told | undefined {
  const key = schema.anyOf === undefined ? 'oneOf' : 'anyOf'
  const list = schema[key]
  if (!Array.isArray(list)) return undefined
  if (list.every((member) => requiredOnly(member) !== undefined)) {
    const sets = list.map(requiredOnly)
    // The vendor rejects required properties in a choice that are declared outside of it.
    const word = key === 'anyOf' ? 'At least one' : 'Exactly one'
    const told = sets.map((names = nothing) => names.join(' and ')).join('; ')
    return { fields: {}, notes: [`${word} of these must be given: ${told}.`] }
  }
  const members = list.flatMap((member: unknown, index) =>
    member === false ? [] : [convertMember(member, key, index)],
  )
  return { fields: { anyOf: members }, notes: [] }
}

function requiredOnly(schema: unknown): readonly string[] | undefined {
  if (!isJsonObject(schema) || Object.keys(schema).length !== 1) return undefined
  const { required } = schema
  return Array.isArray(required) && required.length > 0 ? required.map(String) : undefined
}

interface Told {
  readonly fields: { readonly [keyword: string]: unknown }
  readonly notes: readonly string[]
}

const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

function typesIn(schema: JsonObject): readonly string[] {
  const { type, nullable } = schema
  if (type === undefined) return nothing
  const known = (Array.isArray(type) ? type : [type]).filter(
    (name): name is string => typeof name === 'string' && types.has(name),
  )
  return nullable === true && known.length > 0 ? [...new Set([...known, 'null'])] : known
}

function typeField(names: readonly string[]): { readonly type?: unknown } {
  if (names.length === 0) return {}
  return { type: names.length === 1 ? names[0] : names }
}

/** The vendor takes texts and numbers. Null becomes a choice of its own; others go into the description. */
function describeValues(values: readonly unknown[], declared: readonly string[]): Told {
  const hasNull = values.includes(null)
  const known = hasNull ? values.filter((value) => value !== null) : values
  const own = kindOf(known)
  const named = declared.length > 0 ? declared.filter((type) => type !== 'null') : own
  const isNullable = hasNull && (declared.length === 0 || declared.includes('null'))
  const type = typeField(isNullable ? [...named, 'null'] : named)
  if (known.length === 0) return { fields: { type: 'null' }, notes: [] }
  if (own.includes('boolean')) {
    return { fields: type, notes: known.length === 1 ? [`Always ${known[0]}.`] : [] }
  }
  if (own.length > 0 && isNullable) {
    const choices = [{ ...typeField(named), enum: known }, { type: 'null' }]
    return { fields: { anyOf: choices }, notes: [] }
  }
  if (own.length > 0) return { fields: { ...type, enum: known }, notes: [] }
  const texts = known.map((value) => toJsonText(value) ?? '…')
  const note = texts.length === 1 ? `Always ${texts[0]}.` : `One of: ${texts.join(', ')}.`
  return { fields: type, notes: [note] }
}

function kindOf(values: readonly unknown[]): readonly string[] {
  const kind = typeof values[0]
  if (!values.every((value) => typeof value === kind)) return nothing
  if (kind === 'number') return [values.every(Number.isInteger) ? 'integer' : kind]
  return kind === 'string' || kind === 'boolean' ? [kind] : nothing
}

/** The vendor's bounds are inclusive: exclusive ones move by one for integers, or go into the description. */
function describeBounds(schema: JsonObject, isInteger: boolean): Told {
  const lower = bound(schema.minimum, schema.exclusiveMinimum, Math.max)
  const upper = bound(schema.maximum, schema.exclusiveMaximum, Math.min)
  const fields: Record<string, unknown> = {}
  if (!lower && !upper) return noBounds
  const notes: string[] = []
  if (lower) {
    fields.minimum = lower.isOpen && isInteger ? Math.floor(lower.value) + 1 : lower.value
    if (lower.isOpen && !isInteger) notes.push(`Greater than ${lower.value}.`)
  }
  if (upper) {
    fields.maximum = upper.isOpen && isInteger ? Math.ceil(upper.value) - 1 : upper.value
    if (upper.isOpen && !isInteger) notes.push(`Less than ${upper.value}.`)
  }
  return { fields, notes }
}

const noBounds: Told = { fields: {}, notes: nothing }

/** The stricter of two bounds; in draft 4 an exclusive one is a flag on the inclusive one. */
function bound(closed: unknown, open: unknown, stricter: (a: number, b: number) => number) {
  if (typeof closed !== 'number') {
    return typeof open === 'number' ? { value: open, isOpen: true } : undefined
  }
  if (open === true) return { value: closed, isOpen: true }
  if (typeof open !== 'number') return { value: closed, isOpen: false }
  const value = stricter(closed, open)
  return { value, isOpen: value === open }
}

function tellRest(schema: JsonObject): readonly string[] {
  const { multipleOf, uniqueItems, contentEncoding, contentMediaType, format } = schema
  const notes: string[] = []
  if (typeof multipleOf === 'number') notes.push(`Multiple of ${multipleOf}.`)
  if (uniqueItems === true) notes.push('No item twice.')
  if (typeof contentEncoding === 'string') notes.push(`Content encoding: ${contentEncoding}.`)
  if (typeof contentMediaType === 'string') notes.push(`Content type: ${contentMediaType}.`)
  if (typeof format === 'string' && !formats.has(format)) notes.push(`Format: ${format}.`)
  return notes
}

/** Formats that the vendor accepts; it has rejected others. Source: its guide "Structured outputs". */
const formats = wordSet('date-time date time int32 int64 float double')
