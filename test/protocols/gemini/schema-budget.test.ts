import { describe, expect, test } from 'bun:test'
import type { CanonicalRequest } from '../../../src/protocols/canonical/request.ts'
import { findSchemaFault, toGeminiSchema } from '../../../src/protocols/gemini/schema/to-gemini.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'

const long = 'x'.repeat(100_000)
const refs = (count: number, ref: string) => Array.from({ length: count }, () => ({ $ref: ref }))

function withTools(...schemas: JsonObject[]): CanonicalRequest {
  const tools = schemas.map((parameters, index) => ({
    at: `tools[${index}]`,
    kind: 'function' as const,
    name: `t${index}`,
    parameters,
  }))
  return { model: 'm', stream: false, turns: [], native: [], tools }
}

describe('T22, A7: a schema that stands for much more than it is', () => {
  test('what is pointed to in many ways is written once', () => {
    const schema = {
      properties: {
        a: { $ref: '#/$defs/a%62c' },
        b: { $ref: '#/$defs/abc' },
        c: { $ref: '#/%24defs/%61bc' },
      },
      $defs: { abc: { type: 'string', description: long } },
    }
    const result = toGeminiSchema(schema)
    expect(JSON.stringify(result).length).toBeLessThan(1.1 * long.length)
    expect(result).toMatchObject({ schema: { $defs: { a_62c: { description: long } } } })
  })

  test('names that are alike are told apart, also from such as look like them', () => {
    const $defs = {
      'a b': { const: 1 },
      a_b: { const: 2 },
      a_b_2: { const: 3 },
      'a+b': { const: 4 },
    }
    const properties = Object.fromEntries(
      Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]),
    )
    const { schema } = toGeminiSchema({ properties, $defs }) as { schema: JsonObject }
    const written = Object.values(schema.$defs as object)
    expect(written.map((one) => one.enum[0]).sort()).toEqual([1, 2, 3, 4])
  })

  test.each<[string, JsonObject]>([
    ['a description', { description: long }],
    ['values', { enum: Array.from({ length: 5_000 }, (_, at) => `value ${at}`) }],
    ['a default', { default: { a: [long] } }],
    ['properties', { properties: { a: { properties: { b: { title: long } } } } }],
  ])('%s, merged in from many places', (_, a) => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`p${at}`, { allOf: refs(2, '#/$defs/a') }]),
    )
    const request = withTools({ properties, $defs: { a } })
    expect(findSchemaFault(request)).toMatchObject({ code: 'invalid_value', param: 'tools[0]' })
    expect(findSchemaFault(request)?.message).toContain('more often than can be written out')
  })

  test('every place within a schema, pointed to', () => {
    let deep: JsonObject = { description: long }
    for (let depth = 0; depth < 50; depth++) deep = { properties: { a: deep } }
    const anyOf = Array.from({ length: 50 }, (_, depth) => ({
      $ref: `#/$defs/d${'/properties/a'.repeat(depth + 1)}`,
    }))
    const schema = { anyOf, $defs: { d: deep } }
    expect(findSchemaFault(withTools(schema))).toMatchObject({ param: 'tools[0]' })
  })

  test('what one tool may do, a hundred may not do together', () => {
    const schema = () => ({
      properties: { a: { allOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] } },
      $defs: { a: { description: long } },
    })
    expect(findSchemaFault(withTools(schema()))).toBeUndefined()
    const many = Array.from({ length: 100 }, schema)
    expect(findSchemaFault(withTools(...many))).toMatchObject({ code: 'invalid_value' })
  })

  test('a large schema that says each thing once is taken', () => {
    const names = Array.from({ length: 30_000 }, (_, at) => `d${at}`)
    const schema = {
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
      $defs: Object.fromEntries(names.map((name) => [name, { type: 'string', title: name }])),
    }
    expect(findSchemaFault(withTools(schema))).toBeUndefined()
  })
})
