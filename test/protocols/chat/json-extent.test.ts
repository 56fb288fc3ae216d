import { expect, test } from 'bun:test'
import { createJsonExtent } from '../../../src/protocols/chat/decode-calls.ts'

const texts: readonly (readonly [text: string, isWhole: boolean])[] = [
  ['', false],
  ['  ', false],
  ['{', false],
  ['{}', true],
  ['{}  \n', true],
  ['{"a":{"b":[1,{}]}}', true],
  ['{"a":{"b":[1,{}]}', false],
  ['{"a":"}"', false],
  ['{"a":"}"}', true],
  ['{"a":"\\"}"', false],
  ['{"a":"\\"}"}', true],
  ['{"a":"\\\\"}', true],
  ['[]', true],
  ['"text"', false],
  ['5', false],
]

test('an object is whole when its last bracket is there, wherever it was cut', () => {
  for (const [text, isWhole] of texts) {
    for (let cut = 0; cut <= text.length; cut++) {
      const extent = createJsonExtent()
      extent.push(text.slice(0, cut))
      extent.push(text.slice(cut))
      expect({ text, cut, isWhole: extent.isWhole }).toEqual({ text, cut, isWhole })
    }
  }
})
