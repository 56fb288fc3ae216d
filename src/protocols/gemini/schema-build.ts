import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { formats, tellBounds, tellRest, tellValues, typeField, typesIn } from './schema-values.ts'

/** Turns a schema within this one; `step` is its place. */
type Convert = (member: unknown, step: string) => JsonObject

/** The vendor's form of a schema that has no `allOf`, no reference and no keyword it can't have. */
export function buildSchema(schema: JsonObject, convertMember: Convert): JsonObject {
  const types = typesIn(schema)
  const { enum: list } = schema
  const allowed = schema.const === undefined ? list : [schema.const]
  const values = Array.isArray(allowed)
    ? tellValues(allowed, types)
    : { fields: typeField(types), notes: [] }
  const bounds = tellBounds(schema, types.includes('integer'))
  const choice = buildChoice(schema, convertMember)
  const notes = [...values.notes, ...bounds.notes, ...tellRest(schema), ...choice.notes]
  const texts = [schema.description, ...notes].filter((text) => typeof text === 'string')
  return {
    ...pick(schema, ['title']),
    ...(texts.length === 0 ? {} : { description: texts.join('\n') }),
    ...values.fields,
    ...(typeof schema.format === 'string' && formats.has(schema.format)
      ? pick(schema, ['format'])
      : {}),
    ...bounds.fields,
    ...pick(schema, ['minLength', 'maxLength', 'pattern', 'minProperties', 'maxProperties']),
    ...buildItems(schema, convertMember),
    ...buildProperties(schema, convertMember),
    ...choice.fields,
    ...pick(schema, ['default', 'propertyOrdering']),
  }
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]),
  )
}

/** Drafts before 2020 have the items of a tuple in `items`, and what follows in `additionalItems`. */
function buildItems(schema: JsonObject, convertMember: Convert): JsonObject {
  const { items, prefixItems, additionalItems } = schema
  const isOld = Array.isArray(items)
  const tuple = isOld ? items : prefixItems
  const rest = isOld ? additionalItems : items
  const first = Array.isArray(tuple)
    ? { prefixItems: tuple.map((item, index) => convertMember(item, `prefixItems[${index}]`)) }
    : {}
  const bounds = pick(schema, ['minItems', 'maxItems'])
  if (rest === undefined || rest === true) return { ...first, ...bounds }
  if (rest !== false) return { ...first, items: convertMember(rest, 'items'), ...bounds }
  // Nothing may follow: as a limit of the length.
  const length = Array.isArray(tuple) ? tuple.length : 0
  const most = typeof bounds.maxItems === 'number' ? Math.min(bounds.maxItems, length) : length
  return { ...first, ...bounds, maxItems: most }
}

function buildProperties(schema: JsonObject, convertMember: Convert): JsonObject {
  const { properties, required, additionalProperties: extra } = schema
  const names = Array.isArray(required)
    ? required.filter((name): name is string => typeof name === 'string')
    : []
  const known = isJsonObject(properties) ? Object.entries(properties) : []
  // The vendor refuses to require what is not described.
  const nameless = names.filter(
    (name) => !(isJsonObject(properties) && Object.hasOwn(properties, name)),
  )
  const entries = [
    ...known.map(([name, value]) => [name, convertMember(value, `properties.${name}`)]),
    ...nameless.map((name) => [name, {}]),
  ]
  const isDescribed = isJsonObject(properties) || entries.length > 0
  return {
    ...(isDescribed ? { properties: Object.fromEntries(entries) } : {}),
    ...(names.length > 0 ? { required: names } : {}),
    ...(typeof extra === 'boolean' ? { additionalProperties: extra } : {}),
    ...(isJsonObject(extra)
      ? { additionalProperties: convertMember(extra, 'additionalProperties') }
      : {}),
  }
}

/** `anyOf`, and `oneOf` as it: the vendor reads them alike. */
function buildChoice(schema: JsonObject, convertMember: Convert) {
  const key = schema.anyOf === undefined ? 'oneOf' : 'anyOf'
  const list = schema[key]
  if (!Array.isArray(list)) return { fields: {}, notes: [] }
  const sets = list.map(requiredOnly)
  if (sets.every((names) => names !== undefined)) {
    // The vendor refuses to require, in a choice, what is described outside of it.
    const word = key === 'anyOf' ? 'At least one' : 'Exactly one'
    const told = sets.map((names) => names.join(' and ')).join('; ')
    return { fields: {}, notes: [`${word} of these must be given: ${told}.`] }
  }
  const members = list.flatMap((member: unknown, index) =>
    member === false ? [] : [convertMember(member, `${key}[${index}]`)],
  )
  return { fields: { anyOf: members }, notes: [] }
}

/** The names that a schema requires, if it says nothing else. */
function requiredOnly(schema: unknown): readonly string[] | undefined {
  if (!isJsonObject(schema) || Object.keys(schema).length !== 1) return undefined
  const { required } = schema
  return Array.isArray(required) && required.length > 0 ? required.map(String) : undefined
}
