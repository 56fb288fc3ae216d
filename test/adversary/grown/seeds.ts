import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'
import { smallRequests } from '../../fuzz/made-requests.ts'

/** A JSON schema with every keyword that a decoder or an encoder looks at. */
export const richSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  title: 'T',
  description: 'D',
  properties: {
    all: {
      allOf: [
        { $ref: '#/$defs/a' },
        { type: 'object', properties: { b: { enum: ['x', 'y'] } }, required: ['b'] },
      ],
    },
    any: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] },
    one: { oneOf: [{ const: 1 }, { const: 'a' }] },
    list: {
      type: 'array',
      items: { type: 'string', minLength: 1, pattern: '^a' },
      minItems: 1,
      uniqueItems: true,
    },
    tuple: {
      type: 'array',
      prefixItems: [{ type: 'integer' }, { $ref: '#/$defs/c' }],
      items: false,
    },
    values: { enum: [{ a: 1 }, { b: [2] }] },
    number: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5, default: { a: [1] } },
    map: { type: 'object', additionalProperties: { type: ['string', 'null'], format: 'email' } },
    example: { type: 'string', examples: ['e'], nullable: true, propertyOrdering: ['e'] },
  },
  required: ['all'],
  propertyOrdering: ['all', 'any'],
  $defs: {
    a: {
      type: 'object',
      description: 'A',
      properties: { next: { $ref: '#/$defs/a' }, c: { $ref: '#/$defs/c' } },
    },
    c: { description: 'C', allOf: [{ type: 'string' }, { description: 'also' }] },
  },
}

/** Bodies of a protocol's requests for an answer: by its schema, by hand, with rich schemas of tools. */
export function requestSeeds(protocol: ProtocolName): readonly JsonObject[] {
  return smallRequests[protocol].map((seed) => withRichSchemas(seed) as JsonObject)
}

function withRichSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withRichSchemas)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      schemaFields.has(key) ? richSchema : withRichSchemas(item),
    ]),
  )
}
const schemaFields = new Set([
  'parameters',
  'schema',
  'input_schema',
  'parametersJsonSchema',
  'responseJsonSchema',
])
