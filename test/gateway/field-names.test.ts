import { describe, expect, test } from 'bun:test'
import { parseJsonBody } from '../../src/gateway/body/body.ts'

const refusalOf = (text: string) => {
  try {
    parseJsonBody(Buffer.from(text))
    return undefined
  } catch (error) {
    return error
  }
}
/** Short bodies are parsed whole, long ones but for their long texts. */
const sizes = [
  ['a short body', ''],
  ['a long body', ` , "pad": "${'x'.repeat(40_000)}"`],
] as const

describe.each(sizes)('%s', (_, pad) => {
  test.each([
    ['Model', 'model'],
    ['ſtream', 'stream'],
    ['\\u017ftream', 'stream'],
    ['ſtream_optionſ', 'stream_options'],
    ['toolſ', 'tools'],
    ['MAX_TOKENS', 'max_tokens'],
    ['tooL_choice', 'tool_choice'],
    ['ｎ', 'n'],
    ['ＭＯＤＥＬ', 'model'],
    ['thinKing', 'thinking'],
    ['maxTokens', undefined],
    ['Metadata', undefined],
  ])('a field %s is taken for %s', (name, meant) => {
    const refused = refusalOf(`{"messages": [], "${name}": 1${pad}}`)
    if (meant === undefined) expect(refused).toBeUndefined()
    else
      expect(refused).toMatchObject({
        kind: 'invalid_value',
        details: { param: JSON.parse(`"${name}"`) },
      })
  })

  test.each([
    ['"generationConfig": {"candidateCount": 1, "candidateCount": 8}', 'generationConfig'],
    ['"tools": [{"type": "function", "type": "web_search"}]', 'tools'],
    ['"stream_options": {"a": [{"b": {"c": 1, "\\u0063": 2}}]}', 'stream_options'],
    ['"x": {"__proto__": 1, "__proto__": 2}', 'x'],
    ['"model": 1, "mod\\u0065l": 2', 'model'],
  ])('one name twice in one object: %s', (text, param) => {
    expect(refusalOf(`{${text}${pad}}`)).toMatchObject({ kind: 'invalid_json', details: { param } })
  })

  test.each([
    '"a": {"b": 1, "c": {"b": 2}}, "b": [{"b": ":"}, {"b": "\\":{"}]',
    '"": {"": {"": 1}}, "a": [[], {}, null, ":"]',
    '"__proto__": {"a": 1}, "toString": 1, "10": 1, "2": {"1": 1}',
  ])('one name in several objects is none twice: %s', (text) => {
    expect(refusalOf(`{${text}${pad}}`)).toBeUndefined()
  })
})
