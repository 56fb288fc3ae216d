import { isJsonObject } from '../../json.ts'
import type { JsonObject } from '../../protocol.ts'
import { camelNames } from '../wire.ts'

/** Deeper schemas become `{}`, which allows any value. */
const deepest = 64

/** The vendor's schema as JSON schema. Its `Schema` is that of OpenAPI 3.0; clients write both in either field. */
export function fromGeminiSchema(schema: JsonObject, depth = 0): JsonObject {
  if (depth > deepest) return {}
  const { type, nullable, format, propertyOrdering, example, ...others } = camelNames(schema)
  const result: Record<string, unknown> = {}
  const types = typesOf(type)
  if (types !== undefined) result.type = types
  for (const [name, value] of Object.entries(others)) {
    const [key, change] = changes.get(name) ?? [name, same]
    result[key] = change(value, depth)
  }
  if (isNumeric(types) && Array.isArray(result.enum)) result.enum = result.enum.map(toNumber)
  // `enum` is no format: it only announces the keyword.
  if (format !== undefined && format !== 'enum') result.format = format
  if (example !== undefined && result.examples === undefined) result.examples = [example]
  order(result, propertyOrdering)
  return nullable === true ? withNull(result) : result
}

type Change = (value: unknown, depth: number) => unknown

const same: Change = (value) => value
const one: Change = (value, depth) =>
  isJsonObject(value) ? fromGeminiSchema(value, depth + 1) : value
const list: Change = (value, depth) =>
  Array.isArray(value) ? value.map((item) => one(item, depth)) : one(value, depth)
const map: Change = (value, depth) =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, one(item, depth)]))
    : value
const pointer: Change = (value) =>
  typeof value === 'string' ? value.replace(/^#\/defs\//, '#/$defs/') : value

/** By keyword: its name in JSON schema, and its value's conversion. */
const changes = new Map<string, readonly [key: string, change: Change]>([
  ...changing(map, 'properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'),
  ...changing(list, 'anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'),
  ...changing(one, 'additionalProperties', 'additionalItems', 'not', 'if', 'then', 'else'),
  ...changing(one, 'contains', 'propertyNames'),
  ...changing(toNumber, 'minItems', 'maxItems', 'minLength', 'maxLength'),
  ...changing(toNumber, 'minProperties', 'maxProperties'),
  ['defs', ['$defs', map]],
  ['ref', ['$ref', pointer]],
])

function changing(change: Change, ...names: readonly string[]) {
  return names.map((name) => [name, [name, change]] as const)
}

function toNumber(value: unknown): unknown {
  const isNumber = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
  return isNumber ? Number(value) : value
}

/** Types in lower case, without the unspecified one. */
function typesOf(type: unknown): unknown {
  if (Array.isArray(type)) return type.map(typesOf)
  if (typeof type !== 'string') return type ?? undefined
  return type === 'TYPE_UNSPECIFIED' ? undefined : (smallTypes.get(type) ?? type)
}

const smallTypes = new Map(
  'string number integer boolean array object null'
    .split(' ')
    .map((type) => [type.toUpperCase(), type]),
)

const isNumeric = (type: unknown) => type === 'integer' || type === 'number'

/** JSON schema has no property order: the properties are written in that order. */
function order(schema: Record<string, unknown>, ordering: unknown): void {
  const { properties } = schema
  if (!Array.isArray(ordering) || !isJsonObject(properties)) return
  const names = ordering.filter(
    (name): name is string => typeof name === 'string' && Object.hasOwn(properties, name),
  )
  const first = names.map((name): [string, unknown] => [name, properties[name]])
  schema.properties = Object.fromEntries([...first, ...Object.entries(properties)])
}

function withNull(schema: Record<string, unknown>): JsonObject {
  const { type, anyOf } = schema
  if (typeof type === 'string') {
    const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}
    return { ...schema, ...values, type: [type, 'null'] }
  }
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  return schema
}
