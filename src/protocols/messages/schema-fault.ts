import type { CanonicalRequest } from '../canonical/request.ts'
import { isJsonObject } from '../json.ts'
import type { Fault, JsonObject } from '../protocol.ts'
import { isObjectSchema } from './schema.ts'

/**
 * The first schema that the vendor would enforce, and whose meaning closing it would change: objects
 * with names that are not known beforehand (a map, or any object) would always be empty (T22).
 */
export function findSchemaFault({ format, tools }: CanonicalRequest): Fault | undefined {
  if (format?.type === 'schema') {
    const path = findOpenObject(format.schema, format.at ?? 'schema', 0)
    if (path !== undefined) return openObject(path)
  }
  for (const { strict, parameters, at, name } of tools) {
    if (strict !== true || parameters === undefined) continue
    // Arguments of nothing at all are no map.
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

/** Deeper than any vendor lets schemas nest. */
const deepest = 64

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
