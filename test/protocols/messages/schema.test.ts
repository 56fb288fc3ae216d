import { describe, expect, test } from 'bun:test'
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema'
import type { Tool } from '../../../src/protocols/canonical/request.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import { closeSchema } from '../../../src/protocols/messages/schema.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { requestOf } from './codec-support.ts'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

describe('a schema that the vendor enforces', () => {
  test.each<[string, JsonObject]>([
    ['an object', object({ a: { type: 'string' } }, { required: ['a'] })],
    ['open objects, inner ones too', object({ a: object({}, { additionalProperties: true }) })],
    [
      'lengths, ranges and patterns',
      object({
        a: { type: 'string', minLength: 1, maxLength: 9, pattern: '^x', description: 'D' },
        b: { type: 'integer', minimum: 1, multipleOf: 2 },
        c: { type: 'array', items: { type: 'number', maximum: 3 }, uniqueItems: true, minItems: 2 },
      }),
    ],
    ['one item at least', { type: 'array', items: { type: 'string' }, minItems: 1 }],
    [
      'formats',
      object({ a: { type: 'string', format: 'email' }, b: { type: 'string', format: 'ulid' } }),
    ],
    ['alternatives', object({ a: { anyOf: [{ type: 'string' }, object({})] } })],
    [
      'exclusive ones',
      object({ a: { oneOf: [{ type: 'null' }, { type: 'integer', minimum: 0 }] } }),
    ],
    ['all of them', object({ a: { allOf: [object({ b: { type: 'string' } })] } })],
    [
      'definitions',
      object(
        { a: { $ref: '#/$defs/node', description: 'lost' } },
        { $defs: { node: object({ n: { type: 'number', minimum: 0 } }) } },
      ),
    ],
    ['values', object({ a: { enum: ['x', 'y'] }, b: { const: 1 } })],
    ['its dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema', ...object({}) }],
  ])('T22: %s are as the vendor’s SDK has them', (_name, schema) => {
    const closed = closeSchema(schema)
    expect(closed as unknown).toEqual(transformJSONSchema(schema))
    expect(closeSchema(closed)).toEqual(closed)
  })

  test.each<[string, JsonObject, JsonObject]>([
    ['a type beside values', { type: 'string', enum: ['x'] }, { type: 'string', enum: ['x'] }],
    [
      'several types',
      { type: ['object', 'null'], properties: { a: { type: 'string', maxLength: 2 } } },
      {
        type: ['object', 'null'],
        properties: { a: { type: 'string', description: '{maxLength: 2}' } },
        additionalProperties: false,
      },
    ],
    ['no type', {}, {}],
    ['a default', { type: 'string', default: 'x' }, { type: 'string', default: 'x' }],
    [
      'an object of alternatives',
      { type: 'object', anyOf: [object({ a: {} }), object({ b: {} })] },
      {
        type: 'object',
        anyOf: [
          object({ a: {} }, { additionalProperties: false }),
          object({ b: {} }, { additionalProperties: false }),
        ],
      },
    ],
  ])('where the SDK fails or loses something: %s', (_name, schema, closed) => {
    expect(closeSchema(schema)).toEqual(closed)
  })

  test('whatever it is, nothing throws', () => {
    const odd = [null, 7, 'x', [], {}, true, [{}]]
    const keys = ['properties', 'items', 'anyOf', 'oneOf', '$defs', 'definitions', 'enum', 'type']
    for (const key of [...keys, '$ref', 'description', 'additionalProperties', '__proto__']) {
      for (const value of odd) {
        const schema = JSON.parse(`{"type":"object","${key}":${JSON.stringify(value)}}`)
        expect(() => closeSchema(schema)).not.toThrow()
        expect(() => faultOf(schema)).not.toThrow()
      }
    }
    const deep = JSON.parse(`${'{"items":'.repeat(20_000)}1${'}'.repeat(20_000)}`)
    expect(() => closeSchema(deep)).not.toThrow()
    expect(() => faultOf(deep)).not.toThrow()
  })
})

const faultOf = (schema: JsonObject) =>
  messagesCodec.findFault?.(requestOf({ format: { type: 'schema', at: 'f', schema } }))

describe('a schema whose meaning would be lost', () => {
  test.each<[string, JsonObject, string]>([
    ['any object', { type: 'object' }, 'f'],
    [
      'a map',
      object({ m: { type: 'object', additionalProperties: { type: 'string' } } }),
      'f.properties.m',
    ],
    [
      'a map beside names',
      object({ m: object({ a: {} }, { additionalProperties: { type: 'string' } }) }),
      'f.properties.m',
    ],
    ['a list of any objects', { type: 'array', items: { type: 'object' } }, 'f.items'],
    [
      'one of several',
      { anyOf: [{ type: 'null' }, { type: 'object', properties: {} }] },
      'f.anyOf[1]',
    ],
    [
      'a definition',
      object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'object' } } }),
      'f.$defs.x',
    ],
  ])('T22: %s is refused by name', (_name, schema, param) => {
    expect(faultOf(schema)).toMatchObject({ code: 'unsupported_parameter', param })
  })

  test.each<[string, JsonObject]>([
    ['closed', { type: 'object', additionalProperties: false }],
    ['named', object({ a: {} }, { additionalProperties: true })],
    ['of alternatives', { type: 'object', anyOf: [object({ a: {} })] }],
  ])('an object that is %s is not', (_name, schema) => {
    expect(faultOf(schema)).toBeUndefined()
  })

  test('T22: OpenAPI’s word for "or null" is a type, in each of its values', () => {
    const choice = { type: 'string', enum: ['a'], nullable: true }
    expect(closeSchema(object({ a: choice, b: { type: 'integer', nullable: false } }))).toEqual({
      ...object({
        a: { type: ['string', 'null'], enum: ['a', null] },
        b: { type: 'integer', description: '{nullable: false}' },
      }),
      additionalProperties: false,
    })
  })

  test('a tool’s only if it is strict, and not if it has no arguments at all', () => {
    const map = object({ m: { type: 'object' } })
    const fault = (tool: Partial<Tool>) =>
      messagesCodec.findFault?.(
        requestOf({ tools: [{ kind: 'function', name: 'a', at: 'tools[0]', ...tool }] }),
      )?.param
    expect(fault({ parameters: map, strict: true })).toBe('tools[0].properties.m')
    expect(fault({ parameters: map })).toBeUndefined()
    expect(fault({ parameters: object({}), strict: true })).toBeUndefined()
    expect(fault({ strict: true })).toBeUndefined()
  })
})
