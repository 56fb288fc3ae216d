import type { ToldKeyword } from '../canonical/codec.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import type { Fault, JsonObject } from '../protocol.ts'
import { toGeminiSchema, tooMuch } from './schema.ts'
import { createSchemaBudget, type SchemaBudget } from './schema-budget.ts'

/** The first JSON schema of a request that can't be written out: of a tool, or of the answer. */
export function findSchemaFault({ tools, format }: CanonicalRequest): Fault | undefined {
  const budget = createSchemaBudget()
  for (const { at, name, parameters } of tools) {
    const fault = parameters && faultOf(parameters, at ?? 'tools', `of the tool ${name}`, budget)
    if (fault !== undefined) return fault
  }
  if (format?.type !== 'schema') return undefined
  return faultOf(format.schema, format.at ?? 'the format of the answer', 'of the answer', budget)
}

function faultOf(
  schema: JsonObject,
  param: string,
  whose: string,
  budget: SchemaBudget,
): Fault | undefined {
  const result = toGeminiSchema(schema, budget)
  if ('schema' in result) return undefined
  const { path, keyword } = result
  const place = path === '' ? 'at its root' : `at ${path}`
  if (keyword === tooMuch) {
    return {
      code: 'invalid_value',
      param,
      message: `${param}: the JSON schema ${whose} refers to the same definitions, or merges schemas, more often than can be written out (${place}). Write it with fewer of "allOf" and "$ref".`,
    }
  }
  return {
    code: 'unsupported_parameter',
    param,
    message: `${param}: the JSON schema ${whose} has too much "${keyword}" ${place} for the protocol gemini, which the channel of this model speaks. Write it with less, or ask for another model.`,
  }
}

/** What of a request's schemas is told in their descriptions: the vendor has no keyword for it. */
export function findToldKeywords({ tools, format }: CanonicalRequest): readonly ToldKeyword[] {
  const told: ToldKeyword[] = []
  const add = (schema: JsonObject, of: Omit<ToldKeyword, 'path' | 'keyword'>) => {
    const result = toGeminiSchema(schema)
    if ('schema' in result) for (const place of result.told) told.push({ ...of, ...place })
  }
  for (const { at = 'tools', parameters, strict } of tools) {
    if (parameters) add(parameters, { at, isTool: true, isStrict: strict === true })
  }
  if (format?.type === 'schema') {
    const { at = 'the format of the answer', schema, strict } = format
    add(schema, { at, isTool: false, isStrict: strict === true })
  }
  return told
}
