import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { formats, tellBounds, tellRest, tellValues, typeField, typesIn } from './schema-values.ts'

/** Turns a schema within this one; its place is a keyword, and what of that it is. */
type Convert = (member: unknown, keyword: string, which?: string | number) => JsonObject

/** The vendor's form of a schema that has no `allOf`, no reference and no keyword it can't have. */
export function buildSchema(schema: JsonObject, convertMember: Convert): JsonObject {
  const types = typesIn(schema)
  const { enum: list } = schema
  const allowed = schema.const === undefined ? list : [schema.const]
  const values = Array.isArray(allowed)
    ? tellValues(allowed, types)
    : { fields: typeField(types), notes: nothing }
  const bounds = tellBounds(schema, types.includes('integer'))
  const choice = buildChoice(schema, convertMember)
  const texts = [schema.description, ...values.notes, ...bounds.notes, ...tellRest(schema)]
  const told = [...texts, ...choice.notes].filter((text) => typeof text === 'string')
  const built: Record<string, unknown> = {}
  pick(schema, heads, built)
  if (told.length > 0) built.description = told.join('\n')
  Object.assign(built, values.fields)
  if (typeof schema.format === 'string' && formats.has(schema.format)) built.format = schema.format
  Object.assign(built, bounds.fields)
  pick(schema, lengths, built)
  addItems(schema, convertMember, built)
  addProperties(schema, convertMember, built)
  Object.assign(built, choice.fields)
  pick(schema, tails, built)
  return built
}

const nothing: readonly string[] = []
const heads = ['title']
const lengths = ['minLength', 'maxLength', 'pattern', 'minProperties', 'maxProperties']
const itemBounds = ['minItems', 'maxItems']
const tails = ['default', 'propertyOrdering']

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
function buildChoice(schema: JsonObject, convertMember: Convert) {
  const key = schema.anyOf === undefined ? 'oneOf' : 'anyOf'
  const list = schema[key]
  if (!Array.isArray(list)) return noChoice
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

const noChoice = { fields: {}, notes: nothing }

/** The names that a schema requires, if it says nothing else. */
function requiredOnly(schema: unknown): readonly string[] | undefined {
  if (!isJsonObject(schema) || Object.keys(schema).length !== 1) return undefined
  const { required } = schema
  return Array.isArray(required) && required.length > 0 ? required.map(String) : undefined
}
