import { describe, expect, test } from 'bun:test'
import { findFields, replaceFields } from '../../src/gateway/body/json-fields.ts'

const encode = (text: string) => Buffer.from(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const limits = { maxDepth: 256, maxValues: 1_000 }
const fieldsOf = (text: string) => findFields(encode(text), limits)

/** Texts with every odd thing that JSON allows at the top level. */
const texts = [
  '{}',
  '{"a":1}',
  ' { "a" : 1 , "b" : [1, {"a": 2}], "c":"x" } \n',
  '{"a":"quote \\" brace } comma , end","b":"\\\\"}',
  '{"a":-1.5e+3,"b":true,"c":null,"d":{"e":{"f":[]}}}',
  '{"mod\\u0065l":"x","größe":"漢字"}',
  '{"":"empty name"}',
]

describe('findFields', () => {
  for (const text of texts) {
    test(`spans hold exactly the values of ${text}`, () => {
      const value = JSON.parse(text) as Record<string, unknown>
      const { spans, duplicate, close } = fieldsOf(text)
      expect([...spans.keys()]).toEqual(Object.keys(value))
      const bytes = encode(text)
      for (const [name, span] of spans) {
        const slice = decode(bytes.subarray(span.start, span.end))
        expect(slice).toBe(slice.trim())
        expect(JSON.parse(slice)).toEqual(value[name])
      }
      expect(duplicate).toBeUndefined()
      expect(decode(bytes.subarray(close, close + 1))).toBe('}')
    })
  }

  test('a name that is there twice at the top is told, also when one is written with escapes', () => {
    expect(fieldsOf('{"model":"a","x":1,"model":"b"}').duplicate).toBe('model')
    expect(fieldsOf('{"model":"a","mod\\u0065l":"b"}').duplicate).toBe('model')
    expect(fieldsOf('{"a":{"model":1},"b":{"model":1}}').duplicate).toBeUndefined()
  })

  test('nesting beyond the limit is told without walking all of it', () => {
    const deep = `{"a":${'['.repeat(300)}${']'.repeat(300)}}`
    expect(fieldsOf(deep).tooDeep).toBe(true)
    expect(findFields(encode(deep), { ...limits, maxDepth: 301 }).tooDeep).toBe(false)
  })

  test('more values than the limit are told without walking all of them', () => {
    expect(fieldsOf(`{"a":[${'1,'.repeat(2_000)}1]}`).tooMany).toBe(true)
    expect(fieldsOf(`{"a":[${'1,'.repeat(900)}1]}`).tooMany).toBe(false)
  })

  test('any bytes are survived', () => {
    for (const text of ['', '"', '{"a', '}}}}', ']', '{"a":"\\', '[[[', '{,,,}', '\u0000']) {
      expect(() => fieldsOf(text)).not.toThrow()
    }
  })
})

describe('replaceFields', () => {
  test('changes only what is named, byte for byte', () => {
    const text = ' { "model" : "alias" , "n": 9007199254740993, "x": [ 1.0, "ü" ] } '
    const changed = replaceFields(encode(text), fieldsOf(text), { model: 'real "one"' })
    expect(decode(changed)).toBe(text.replace('"alias"', '"real \\"one\\""'))
  })

  test('adds what is missing at the end of the object', () => {
    const add = { stream_options: { include_usage: true } }
    const of = (text: string) => decode(replaceFields(encode(text), fieldsOf(text), add))
    expect(of('{"a":1 }')).toBe('{"a":1 ,"stream_options":{"include_usage":true}}')
    expect(of('{}')).toBe('{"stream_options":{"include_usage":true}}')
  })

  test('replaces and adds at once, whatever the order of the fields', () => {
    const text = '{"b":2,"a":1}'
    const changed = replaceFields(encode(text), fieldsOf(text), { a: 10, b: 20, c: 30 })
    expect(decode(changed)).toBe('{"b":20,"a":10,"c":30}')
  })

  test('nothing to change gives the same bytes back', () => {
    const bytes = encode('{"a":1}')
    expect(replaceFields(bytes, findFields(bytes, limits), {})).toBe(bytes)
  })
})
