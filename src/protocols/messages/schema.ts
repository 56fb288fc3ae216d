import { toJsonText } from '../canonical/json-text.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import { isJsonObject, wordSet } from '../json.ts'
import type { Fault, JsonObject } from '../protocol.ts'

/** Deeper schemas pass as they are: the vendor rejects them itself. */
const deepest = 64

/** A schema for strict output: objects are closed, unsupported keywords are described. Never throws. */
export function closeSchema(given: JsonObject, depth = 0): JsonObject {
  if (depth > deepest) return given
  const schema = given.nullable === true ? withNull(given) : given
  const { $ref, $defs, definitions } = schema
  const defs = {
    ...(isJsonObject($defs) ? { $defs: closeEach($defs, depth) } : {}),
    ...(isJsonObject(definitions) ? { definitions: closeEach(definitions, depth) } : {}),
  }
  if (typeof $ref === 'string') return { ...defs, $ref }

  const closed: Record<string, unknown> = { ...defs }
  const left: [string, unknown][] = []
  for (const entry of Object.entries(schema)) {
    if (entry[0] in defs || notTold.has(entry[0])) continue
    const kept = closeKeyword(entry, schema, depth)
    if (kept === undefined) left.push(entry)
    else closed[kept[0]] = kept[1]
  }
  if (isClosable(schema)) {
    closed.properties ??= {}
    closed.additionalProperties = false
  }
  if (left.length === 0) return closed
  const told = left.map(([key, value]) => `${key}: ${toJsonText(value)}`).join(', ')
  const before = typeof closed.description === 'string' ? `${closed.description}\n\n` : ''
  return { ...closed, description: `${before}{${told}}` }
}

function withNull({ nullable, ...schema }: JsonObject): JsonObject {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return { ...schema, nullable }
  const allowed = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { ...schema, type: [type, 'null'], ...allowed }
}

function closeKeyword(
  [key, value]: [string, unknown],
  schema: JsonObject,
  depth: number,
): [string, unknown] | undefined {
  const close = (inner: unknown) => closeAny(inner, depth)
  if (plainKeywords.has(key)) return [key, value]
  switch (key) {
    case 'properties':
      return isJsonObject(value) ? [key, closeEach(value, depth)] : undefined
    case 'items':
      return [key, close(value)]
    case 'anyOf':
    case 'allOf':
      return Array.isArray(value) ? [key, value.map(close)] : undefined
    case 'oneOf':
      return Array.isArray(value) && schema.anyOf === undefined
        ? ['anyOf', value.map(close)]
        : undefined
    case 'enum':
      return Array.isArray(value) && value.every(isPlain) ? [key, value] : undefined
    case 'const':
      return isPlain(value) ? [key, value] : undefined
    case 'format':
      return typeof value === 'string' && formats.has(value) ? [key, value] : undefined
    case 'minItems':
      return value === 0 || value === 1 ? [key, value] : undefined
    default:
      return undefined
  }
}

const plainKeywords = new Set(['type', 'title', 'description', 'required', 'default'])

/** The dialect, and what closing expresses itself. */
const notTold = new Set(['$schema', 'additionalProperties'])

const isPlain = (value: unknown) => value === null || typeof value !== 'object'

/** An object with alternatives is closed in each of them. */
const isClosable = (schema: JsonObject) =>
  isObjectSchema(schema) &&
  (schema.properties !== undefined ||
    [schema.anyOf, schema.oneOf, schema.allOf].every((list) => list === undefined))

const formats = wordSet('date-time time date duration email hostname uri ipv4 ipv6 uuid')

const closeAny = (value: unknown, depth: number): unknown =>
  isJsonObject(value) ? closeSchema(value, depth + 1) : value

const closeEach = (schemas: JsonObject, depth: number): JsonObject =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, closeAny(schema, depth)]),
  )

function isObjectSchema({ type, properties }: JsonObject): boolean {
  if (type === undefined) return isJsonObject(properties)
  return type === 'object' || (Array.isArray(type) && type.includes('object'))
}

/** The first schema that closing would change: an object with arbitrary property names (T22). */
export function findSchemaFault({ format, tools }: CanonicalRequest): Fault | undefined {
  if (format?.type === 'schema') {
    const path = findOpenObject(format.schema, format.at ?? 'schema', 0)
    if (path !== undefined) return openObject(path)
  }
  for (const { strict, parameters, at, name } of tools) {
    if (strict !== true || parameters === undefined) continue
    if (!hasNames(parameters) && parameters.additionalProperties === undefined) continue
    const path = findOpenObject(parameters, at ?? name, 0)
    if (path !== undefined) return openObject(path)
  }
  return undefined
}

const openObject = (param: string): Fault => ({
  code: 'unsupported_parameter',
  param,
  message: `${param} is an object with any properties, which the protocol messages can't promise. Name its properties, or ask for another model.`,
})

function findOpenObject(schema: unknown, path: string, depth: number): string | undefined {
  if (!isJsonObject(schema) || depth > deepest) return undefined
  const { additionalProperties: more } = schema
  const isMap = isJsonObject(more) && Object.keys(more).length > 0
  if (isObjectSchema(schema) && (isMap || !hasNames(schema))) return path
  for (const [inner, at] of inside(schema, path)) {
    const found = findOpenObject(inner, at, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function hasNames({ properties, additionalProperties, $ref, anyOf, allOf, oneOf }: JsonObject) {
  const isClosed = additionalProperties === false
  const isElsewhere = [$ref, anyOf, allOf, oneOf].some((value) => value !== undefined)
  return isClosed || isElsewhere || (isJsonObject(properties) && Object.keys(properties).length > 0)
}

function inside(schema: JsonObject, path: string): readonly (readonly [unknown, string])[] {
  const named = ['properties', '$defs', 'definitions'].flatMap((key) => {
    const schemas = schema[key]
    return Object.entries(isJsonObject(schemas) ? schemas : {}).map(
      ([name, inner]) => [inner, `${path}.${key}.${name}`] as const,
    )
  })
  const listed = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => {
    const schemas = schema[key]
    const list: readonly unknown[] = Array.isArray(schemas) ? schemas : []
    return list.map((inner, index) => [inner, `${path}.${key}[${index}]`] as const)
  })
  return [...named, ...listed, [schema.items, `${path}.items`]]
}
