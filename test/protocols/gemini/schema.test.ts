import { describe, expect, test } from 'bun:test'
import { toGeminiSchema } from '../../../src/protocols/gemini/schema/to-gemini.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { startCpuTime } from '../../support/cpu-time.ts'

const adapted = (schema: JsonObject) => {
  const result = toGeminiSchema(schema)
  if (!('schema' in result)) throw new Error(`${result.path}: ${result.keyword}`)
  return result.schema
}

/** Within an object, as nearly all schemas are. */
const property = (schema: unknown) =>
  (adapted({ type: 'object', properties: { a: schema } }).properties as JsonObject).a

/** What is at a place within a value. */
const memberAt = (value: unknown, steps: readonly (string | number)[]): unknown =>
  steps.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], value)

describe('T22: a JSON schema for Gemini', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'keeps what the vendor knows',
      {
        type: 'object',
        title: 'T',
        description: 'D',
        properties: {
          s: { type: 'string', minLength: 1, maxLength: 2, pattern: '^a', format: 'date-time' },
          n: { type: 'number', minimum: 0, maximum: 1 },
          l: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
          t: { prefixItems: [{ type: 'string' }] },
          e: { type: 'integer', enum: [1, 2] },
          u: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
          m: { type: ['string', 'null'] },
          d: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['s'],
        additionalProperties: false,
      },
      {
        type: 'object',
        title: 'T',
        description: 'D',
        properties: {
          s: { type: 'string', minLength: 1, maxLength: 2, pattern: '^a', format: 'date-time' },
          n: { type: 'number', minimum: 0, maximum: 1 },
          l: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
          t: { prefixItems: [{ type: 'string' }] },
          e: { type: 'integer', enum: [1, 2] },
          u: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
          m: { type: ['string', 'null'] },
          d: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['s'],
        additionalProperties: false,
      },
    ],
    [
      'drops what says nothing',
      {
        $schema: 'x',
        $id: 'x',
        $comment: 'x',
        type: 'object',
        examples: [1],
        deprecated: true,
        readOnly: true,
        writeOnly: true,
        discriminator: {},
        patternProperties: {},
        propertyNames: { type: 'string' },
        if: { type: 'string' },
        unevaluatedProperties: true,
        properties: {},
      },
      { type: 'object', properties: {} },
    ],
    [
      'describes what it requires: the vendor refuses it else',
      { type: 'object', required: ['a'] },
      { type: 'object', properties: { a: {} }, required: ['a'] },
    ],
    ['takes a schema that allows anything', {}, {}],
  ])('%s', (_, schema, expected) => {
    expect(adapted(schema)).toEqual(expected)
  })

  test.each<[JsonObject, JsonObject]>([
    [{ const: 'x' }, { type: 'string', enum: ['x'] }],
    [{ const: 3 }, { type: 'integer', enum: [3] }],
    [{ const: true }, { type: 'boolean', description: 'Always true.' }],
    [{ const: null }, { type: 'null' }],
    [{ const: { a: 1 }, description: 'D' }, { description: 'D\nAlways {"a":1}.' }],
    [{ enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    [{ enum: ['a', null] }, { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }],
    [
      { type: ['string', 'null'], enum: ['a', null], description: 'D' },
      { description: 'D', anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    ],
    [
      { type: ['string', 'null'], enum: ['a'] },
      { type: 'string', enum: ['a'] },
    ],
    [{ enum: [null] }, { type: 'null' }],
    [{ enum: [1, 2.5] }, { type: 'number', enum: [1, 2.5] }],
    [{ enum: ['a', 1] }, { description: 'One of: "a", 1.' }],
    [{ enum: [true, false] }, { type: 'boolean' }],
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'integer', exclusiveMinimum: 0 },
      { type: 'integer', minimum: 1 },
    ],
    [
      { type: 'integer', exclusiveMaximum: 9.5 },
      { type: 'integer', maximum: 9 },
    ],
    [
      { type: 'integer', minimum: 5, exclusiveMinimum: 0 },
      { type: 'integer', minimum: 5 },
    ],
    [
      { type: 'integer', minimum: 0, exclusiveMinimum: true },
      { type: 'integer', minimum: 1 },
    ],
    [
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      { type: 'number', minimum: 0, maximum: 1, description: 'Greater than 0.\nLess than 1.' },
    ],
    [
      { type: 'integer', multipleOf: 5, description: 'D' },
      { type: 'integer', description: 'D\nMultiple of 5.' },
    ],
    [
      { type: 'array', items: {}, uniqueItems: true },
      { type: 'array', items: {}, description: 'No item twice.' },
    ],
    [
      { type: 'string', format: 'uri' },
      { type: 'string', description: 'Format: uri.' },
    ],
    [
      { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
      { type: 'string', description: 'Content encoding: base64.\nContent type: image/png.' },
    ],
    [
      { items: [{ type: 'string' }], additionalItems: false },
      { prefixItems: [{ type: 'string' }], maxItems: 1 },
    ],
    [
      { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    ],
    [
      { oneOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
    ],
    [
      { oneOf: [{ type: 'string' }], description: 'D' },
      { type: 'string', description: 'D' },
    ],
    [{ anyOf: [{ type: 'string' }, false, true] }, { anyOf: [{ type: 'string' }, {}] }],
    [
      {
        type: 'object',
        properties: { a: {} },
        anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }],
      },
      {
        type: 'object',
        properties: { a: {} },
        description: 'At least one of these must be given: a; b and c.',
      },
    ],
  ])('%j is %j', (schema, expected) => {
    expect(property(schema)).toEqual(expected)
    // What has been adapted is as it must be.
    expect(property(expected)).toEqual(expected)
  })

  test('a property that is called like a keyword is a property', () => {
    const names = ['not', '$ref', 'const', 'allOf', 'enum', 'type', 'properties', 'format']
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
    const schema = { type: 'object', properties, required: names }
    expect(adapted(schema)).toEqual(schema)
    // Values are no schemas either.
    const values = { type: 'object', default: { not: 1, $ref: 'x' } }
    expect(adapted(values)).toEqual(values)
  })
})

describe('T22: allOf', () => {
  test('schemas of one object become one', () => {
    expect(
      adapted({
        description: 'D',
        allOf: [
          { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
          { properties: { a: { minimum: 1 }, b: { type: 'string' } }, required: ['b'] },
        ],
      }),
    ).toEqual({
      description: 'D',
      type: 'object',
      properties: { a: { type: 'number', minimum: 1 }, b: { type: 'string' } },
      required: ['a', 'b'],
    })
  })

  test.each<[unknown, JsonObject]>([
    [[{ type: ['number', 'null'] }, { type: 'integer' }], { type: 'integer' }],
    [
      [
        { minimum: 1, maximum: 5 },
        { minimum: 2, maximum: 9 },
      ],
      { minimum: 2, maximum: 5 },
    ],
    [[{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }], { type: 'string', enum: ['b'] }],
    [[{ type: 'string', pattern: 'a' }, { pattern: 'a' }], { type: 'string', pattern: 'a' }],
    [
      [{ type: 'array', items: { type: 'number' } }, { items: { minimum: 1 } }],
      { type: 'array', items: { type: 'number', minimum: 1 } },
    ],
    [
      [
        { type: 'object', properties: { a: {}, b: {} }, additionalProperties: false },
        { properties: { a: { type: 'string' } } },
      ],
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: {} },
        additionalProperties: false,
      },
    ],
    [[true, { type: 'string' }], { type: 'string' }],
  ])('%j', (allOf, expected) => {
    expect(property({ allOf })).toEqual(expected)
  })

  test.each<[unknown[]]>([
    [[{ type: 'string' }, { type: 'number' }]],
    [[{ pattern: 'a' }, { pattern: 'b' }]],
    [[{ enum: ['a'] }, { enum: ['b'] }]],
    [[{ anyOf: [{}, {}] }, { anyOf: [{}, { type: 'string' }] }]],
    [[{ properties: { a: {} }, additionalProperties: false }, { properties: { b: {} } }]],
    [[{}, false]],
  ])('%j is no one schema: the rest of it is told', (allOf) => {
    const result = toGeminiSchema({ type: 'object', properties: { x: { allOf } } })
    expect(result).toMatchObject({ told: [{ path: 'properties.x', keyword: 'allOf' }] })
    const last = JSON.stringify(allOf.at(-1))
    const words = last === 'false' ? 'No value is allowed here' : `Must fit this, too: ${last}.`
    expect((property({ allOf }) as JsonObject).description).toStartWith(words)
  })
})

describe('T22: references', () => {
  const named = { type: 'object', properties: { n: { type: 'string' } } }

  test('those to $defs stay, those to elsewhere in the schema are moved there', () => {
    expect(
      adapted({
        type: 'object',
        properties: {
          a: { $ref: '#/definitions/N' },
          b: { $ref: '#/$defs/N' },
          c: { $ref: '#/properties/d' },
          d: { type: 'string' },
        },
        definitions: { N: named, unused: {} },
        $defs: { N: { type: 'number' } },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/N' },
        b: { $ref: '#/$defs/N_2' },
        c: { $ref: '#/$defs/d' },
        d: { type: 'string' },
      },
      $defs: { N: named, N_2: { type: 'number' }, d: { type: 'string' } },
    })
  })

  test('a remark on a reference is put around it: beside it the vendor takes none', () => {
    const $defs = { N: named }
    const around = { description: 'D', anyOf: [{ $ref: '#/$defs/N' }] }
    for (const a of [
      { $ref: '#/$defs/N', description: 'D', default: 1 },
      { allOf: [{ $ref: '#/$defs/N' }], description: 'D' },
      around,
    ]) {
      expect(adapted({ properties: { a }, $defs })).toEqual({ properties: { a: around }, $defs })
    }
  })

  test('a reference with more than remarks beside it is merged with what it leads to', () => {
    const a = { $ref: '#/$defs/N', required: ['n'] }
    expect(adapted({ properties: { a }, $defs: { N: named } })).toEqual({
      properties: { a: { ...named, required: ['n'] } },
    })
  })

  test('recursion stays, also from the root on', () => {
    const node = (ref: string) => ({
      type: 'object',
      properties: { next: { type: 'array', items: { $ref: ref } } },
    })
    const expected = { ...node('#/$defs/N'), $defs: { N: node('#/$defs/N') } }
    expect(adapted({ $ref: '#/$defs/N', $defs: { N: node('#/$defs/N') } })).toEqual(expected)
    const own = adapted(node('#'))
    expect(own).toEqual({ ...node('#/$defs/_'), $defs: { _: node('#/$defs/_') } })
    expect(adapted(own)).toEqual(own)
  })

  test('pointers are read by the book: escapes and percent signs', () => {
    const $defs = { 'a/b': { type: 'string' }, 'c d%': { type: 'number' } }
    const properties = { x: { $ref: '#/$defs/a~1b' }, y: { $ref: '#/$defs/c%20d%25' } }
    expect(Object.values(adapted({ properties, $defs }).$defs as object)).toEqual([
      { type: 'string' },
      { type: 'number' },
    ])
  })

  test.each(['https://x.test/s.json', '#/$defs/gone', '#anchor', '#/$defs/__proto__/x'])(
    '%s leads nowhere: its name is told',
    ($ref) => {
      const description = `As described at ${$ref}.`
      expect(toGeminiSchema({ properties: { a: { items: { $ref } } }, $defs: {} })).toEqual({
        schema: { properties: { a: { items: { description } } } },
        told: [{ path: 'properties.a.items', keyword: '$ref' }],
      })
    },
  )
})

describe('T22: what the vendor has no keyword for is told in words, and named', () => {
  test.each<[JsonObject, string, string]>([
    [{ not: { type: 'string' } }, 'not', 'Must not fit: {"type":"string"}.'],
    [
      JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"maxProperties":1}}'),
      'if',
      'If it fits {"required":["a"]}, it must fit: {"required":["b"]}.\nIf it does not fit {"required":["a"]}, it must fit: {"maxProperties":1}.',
    ],
    [{ contains: { const: 1 } }, 'contains', 'At least 1 of the items must fit: {"const":1}.'],
    [
      { contains: {}, minContains: 2, maxContains: 3 },
      'contains',
      'At least 2 and at most 3 of the items must fit: {}.',
    ],
    [
      { patternProperties: { '^a': { type: 'string' } } },
      'patternProperties',
      'Properties named like ^a must fit: {"type":"string"}.',
    ],
    [
      { propertyNames: { pattern: 'a' } },
      'propertyNames',
      'Each property name must fit: {"pattern":"a"}.',
    ],
    [
      { dependentRequired: { a: ['b', 'c'] } },
      'dependentRequired',
      'Where "a" is given, these are required: "b", "c".',
    ],
    [
      { dependentSchemas: { a: { maxProperties: 1 } } },
      'dependentSchemas',
      'Where "a" is given, it must fit: {"maxProperties":1}.',
    ],
    [
      { dependencies: { a: ['b'] } },
      'dependencies',
      'Where "a" is given, these are required: "b".',
    ],
    [{ unevaluatedProperties: false }, 'unevaluatedProperties', 'No other properties.'],
    [
      { unevaluatedItems: { type: 'null' } },
      'unevaluatedItems',
      'Other items must fit: {"type":"null"}.',
    ],
    [{ $dynamicRef: '#x' }, '$dynamicRef', '$dynamicRef: "#x".'],
    [{ somethingNewer: { a: 1 } }, 'somethingNewer', 'somethingNewer: {"a":1}.'],
    [{ enum: [] }, 'enum', 'No value is allowed here: leave it out.'],
    [
      { anyOf: [{}, {}], oneOf: [{}, { type: 'null' }] },
      'oneOf',
      'Must fit exactly one of: {}; {"type":"null"}.',
    ],
    [{ anyOf: [{}, {}], enum: ['a', null] }, 'enum', 'One of: "a", null.'],
  ])('%j', (schema, keyword, words) => {
    const places: [whole: JsonObject, path: string, steps: (string | number)[]][] = [
      [schema, '', []],
      [{ properties: { x: schema } }, 'properties.x', ['properties', 'x']],
      [{ items: { anyOf: [{}, schema] } }, 'items.anyOf[1]', ['items', 'anyOf', 1]],
      [{ prefixItems: [{}, schema] }, 'prefixItems[1]', ['prefixItems', 1]],
      [{ additionalProperties: schema }, 'additionalProperties', ['additionalProperties']],
      [{ items: { $ref: '#/$defs/d' }, $defs: { d: schema } }, '$defs.d', ['$defs', 'd']],
      [{ allOf: [{}, schema] }, '', []],
    ]
    for (const [whole, path, steps] of places) {
      expect(toGeminiSchema(whole)).toMatchObject({ told: [{ path, keyword }] })
      const place = memberAt(adapted(whole), steps)
      expect(place).toMatchObject({ description: words })
      expect(place).not.toHaveProperty([keyword])
    }
  })

  test('words stand behind the description, those of merged schemas too', () => {
    const not = { type: 'null' }
    const allOf = [{ description: 'E', not: {} }, { maxLength: 3 }]
    expect(property({ description: 'D', not, allOf })).toEqual({
      maxLength: 3,
      description: 'D\nMust not fit: {"type":"null"}.\nE\nMust not fit: {}.',
    })
  })

  test('what they refer to is written out, but within itself', () => {
    const list = { type: 'object', properties: { next: { $ref: '#/$defs/list' } } }
    const x = { not: { $ref: '#/$defs/list' } }
    const whole = adapted({ properties: { x }, $defs: { list } })
    const description = `Must not fit: ${JSON.stringify(list)}.`
    expect(memberAt(whole, ['properties', 'x'])).toEqual({ description })
  })

  test('definitions that stand for much more than they are, in words too', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `d${at}`,
        { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    )
    const properties = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [`p${at}`, { not: { $ref: '#/$defs/d0' } }]),
    )
    expect(toGeminiSchema({ properties, $defs })).toMatchObject({ keyword: 'too much' })
  })

  test('a property that must not be', () => {
    const result = toGeminiSchema({ properties: { x: false } })
    expect(result).toEqual({
      schema: { properties: { x: { description: 'No value is allowed here: leave it out.' } } },
      told: [{ path: 'properties.x', keyword: 'false' }],
    })
  })

  test('many keywords that nobody knows: twenty are named', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at]))
    const { told } = toGeminiSchema(many) as { told: readonly unknown[] }
    expect(told).toHaveLength(20)
  })

  test('depth and size are bounded', () => {
    let deep: JsonObject = {}
    for (let depth = 0; depth < 5000; depth++) deep = { items: deep }
    expect(toGeminiSchema(deep)).toMatchObject({ keyword: 'nesting' })
    const cycle = { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } } }
    expect(toGeminiSchema({ ...cycle, allOf: [{ $ref: '#/$defs/a' }, {}] })).toHaveProperty(
      'keyword',
    )
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`p${at}`, {}]))
    const allOf = Array.from({ length: 5000 }, () => ({ $ref: '#/$defs/wide' }))
    const cpuMs = startCpuTime()
    const result = toGeminiSchema({ allOf, $defs: { wide: { properties: wide } } })
    expect(result).toHaveProperty('keyword')
    expect(cpuMs()).toBeLessThan(2000)
  })

  test.each<unknown>([
    { type: 5, properties: [], required: 'a', enum: 'x', items: 7, anyOf: {}, allOf: 3, $ref: 9 },
    { properties: { a: null, b: 3, c: [] }, prefixItems: {}, additionalProperties: 4 },
    JSON.parse('{"properties":{"__proto__":{"type":"string"}},"__proto__":{"not":{}}}'),
  ])('nonsense does not make it throw: %j', (schema) => {
    expect(toGeminiSchema(schema as JsonObject)).toBeObject()
  })
})
