import type { CanonicalRequest } from '../canonical/request.ts'
import type { Fault, JsonObject } from '../protocol.ts'
import { toGeminiSchema, tooMuch } from './schema.ts'
import { createSchemaBudget, type SchemaBudget } from './schema-budget.ts'

/** The first JSON schema of a request that the vendor has no words for: of a tool, or of the answer. */
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
    message: `${param}: the JSON schema ${whose} has "${keyword}" ${place}, which can't be expressed in the protocol gemini, which the channel of this model speaks. Write it without, or ask for another model.`,
  }
}
