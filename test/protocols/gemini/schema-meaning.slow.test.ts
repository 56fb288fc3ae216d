import { describe, expect, test } from 'bun:test'
import Ajv from 'ajv/dist/2020.js'
import { toGeminiSchema } from '../../../src/protocols/gemini/schema/to-gemini.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'

const values: unknown[] = [
  ...[null, true, false, 0, 1, 2, 5, 0.5, -1, 3.5, 'a', 'b', 'abc', ''],
  ...[[], [1], ['a'], ['a', 'a'], ['a', 'b'], [1, 2, 3], [{ a: 'a' }]],
  ...[{}, { a: 'a' }, { a: 1 }, { b: 'a' }, { a: 'a', b: 1 }, { a: null }, { c: 1 }],
  ...[{ a: { a: 'a' } }, { a: { a: 1 } }, { a: [{ a: 'a' }] }],
]

const compile = (schema: unknown) =>
  new Ajv({ strict: false, validateFormats: false, logger: false }).compile(schema as object)
const fitting = (schema: unknown) => {
  const validate = compile(schema)
  return values.filter((value) => validate(value))
}

/** Schemas whose meaning survives whole, and those of which words have to tell a part. */
const same: JsonObject[] = [
  { const: 'a' },
  { const: 1 },
  { const: null },
  { enum: ['a', null] },
  { enum: ['a', 'b', null], type: ['string', 'null'] },
  { enum: [null] },
  { type: ['string', 'null'], enum: ['a'] },
  { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 2 },
  { type: 'integer', exclusiveMinimum: 0.5, minimum: 0 },
  { type: 'object', allOf: [{ required: ['a'] }, { properties: { a: { type: 'string' } } }] },
  { allOf: [{ type: ['integer', 'null'] }, { type: 'number' }] },
  { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] },
  { anyOf: [{ type: 'string' }] },
  { anyOf: [{ type: 'string' }, false, { type: 'null' }] },
  { prefixItems: [{ type: 'string' }], items: false, type: 'array' },
  {
    type: 'object',
    properties: { a: { $ref: '#/definitions/s' } },
    definitions: { s: { type: 'string' } },
  },
  { $ref: '#/$defs/s', minLength: 2, $defs: { s: { type: 'string' } } },
  {
    type: 'object',
    properties: { a: { description: 'D', $ref: '#/$defs/s' } },
    $defs: { s: { type: 'string' } },
  },
  { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { $ref: '#' }] } } },
  {
    type: 'object',
    allOf: [
      { properties: { a: {}, b: {} }, additionalProperties: false },
      { properties: { a: { type: 'string' } } },
    ],
  },
]
const wider: JsonObject[] = [
  { const: true },
  { const: { a: 'a' } },
  { enum: ['a', 1] },
  { type: 'number', exclusiveMinimum: 0 },
  { type: 'number', multipleOf: 2 },
  { type: 'array', uniqueItems: true },
  { oneOf: [{ type: 'number' }, { minimum: 1 }] },
  { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
]

describe('T22: an adapted schema means what it meant', () => {
  const adapted = (schema: JsonObject) => {
    const result = toGeminiSchema(schema)
    if (!('schema' in result)) throw new Error(result.keyword)
    return result.schema
  }

  test.each(same)('%j fits the same values', (schema) => {
    const before = fitting(schema)
    expect(fitting(adapted(schema))).toEqual(before)
    expect(before.length).toBeGreaterThan(0)
    expect(before.length).toBeLessThan(values.length)
  })

  test.each(wider)('%j fits no fewer, and words tell the rest', (schema) => {
    const after = new Set(fitting(adapted(schema)))
    expect(fitting(schema).filter((value) => !after.has(value))).toEqual([])
    const isChoice = schema.oneOf !== undefined
    expect(isChoice || typeof adapted(schema).description === 'string').toBe(true)
  })
})
