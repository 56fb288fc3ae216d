import type { CanonicalRequest } from '../canonical/request.ts'
import type { Fault, JsonObject } from '../protocol.ts'
import { toGeminiSchema } from './schema.ts'

/** The first JSON schema of a request that the vendor has no words for: of a tool, or of the answer. */
export function findSchemaFault({ tools, format }: CanonicalRequest): Fault | undefined {
  for (const { at, name, parameters } of tools) {
    const fault = parameters && faultOf(parameters, at ?? 'tools', `of the tool ${name}`)
    if (fault !== undefined) return fault
  }
  if (format?.type !== 'schema') return undefined
  return faultOf(format.schema, format.at ?? 'the format of the answer', 'of the answer')
}

function faultOf(schema: JsonObject, param: string, whose: string): Fault | undefined {
  const result = toGeminiSchema(schema)
  if ('schema' in result) return undefined
  const { path, keyword } = result
  const place = path === '' ? 'at its root' : `at ${path}`
  return {
    code: 'unsupported_parameter',
    param,
    message: `${param}: the JSON schema ${whose} has "${keyword}" ${place}, which can't be expressed in the protocol gemini, which the channel of this model speaks. Write it without, or ask for another model.`,
  }
}
