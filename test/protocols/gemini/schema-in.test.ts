import { describe, expect, test } from 'bun:test'
import { fromGeminiSchema } from '../../../src/protocols/gemini/schema/from-gemini.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'

describe('a schema of Gemini’s as JSON schema', () => {
  test.each<[JsonObject, JsonObject]>([
    [{ type: 'STRING' }, { type: 'string' }],
    [{ type: 'TYPE_UNSPECIFIED', description: 'D' }, { description: 'D' }],
    [{ type: 'STRING', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'STRING', nullable: true, format: 'enum', enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      { anyOf: [{ type: 'STRING' }], nullable: true },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    [{ type: 'STRING', nullable: false }, { type: 'string' }],
    [
      { type: 'INTEGER', format: 'enum', enum: ['101', '201'] },
      { type: 'integer', enum: [101, 201] },
    ],
    [
      { type: 'STRING', enum: ['101'] },
      { type: 'string', enum: ['101'] },
    ],
    [
      { type: 'ARRAY', items: { type: 'NUMBER' }, minItems: '1', max_items: '2' },
      { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 2 },
    ],
    [
      { type: 'STRING', min_length: '3', example: 'x' },
      { type: 'string', minLength: 3, examples: ['x'] },
    ],
    [{ any_of: [{ type: 'OBJECT' }, {}] }, { anyOf: [{ type: 'object' }, {}] }],
    [
      { ref: '#/defs/P', defs: { P: { type: 'STRING' } } },
      { $ref: '#/$defs/P', $defs: { P: { type: 'string' } } },
    ],
    [{ type: ['STRING', 'NULL'] }, { type: ['string', 'null'] }],
    [
      { type: 'OBJECT', additionalProperties: { type: 'STRING' } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
  ])('%j', (schema, expected) => {
    expect(fromGeminiSchema(schema)).toEqual(expected)
    expect(fromGeminiSchema(expected)).toEqual(expected)
  })

  test('properties are in the order that it asks for, and called as they are', () => {
    const schema = {
      type: 'OBJECT',
      properties: { any_of: { type: 'STRING' }, type: { type: 'NUMBER' }, b: {} },
      property_ordering: ['b', 'type', 'gone'],
    }
    const { properties, ...rest } = fromGeminiSchema(schema)
    expect(Object.keys(properties as object)).toEqual(['b', 'type', 'any_of'])
    expect(properties).toEqual({ b: {}, type: { type: 'number' }, any_of: { type: 'string' } })
    expect(rest).toEqual({ type: 'object' })
  })

  test('a JSON schema comes out as it is', () => {
    const schema = {
      $defs: { N: { type: 'object', properties: { next: { $ref: '#/$defs/N' } } } },
      type: 'object',
      properties: {
        a: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
        b: { enum: ['STRING', 1, null], const: 'STRING' },
        c: JSON.parse('{"not":{"type":"string"},"if":{},"then":{"type":"number"}}'),
      },
      additionalProperties: false,
      required: ['a'],
    }
    expect(fromGeminiSchema(schema)).toEqual(schema)
  })

  test('depth is bounded', () => {
    let deep: JsonObject = {}
    for (let depth = 0; depth < 5000; depth++) deep = { items: deep }
    expect(fromGeminiSchema(deep)).toBeObject()
  })
})
