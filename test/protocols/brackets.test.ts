import { expect, test } from 'bun:test'
import { Brackets } from '../../src/protocols/canonical/json-text.ts'

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
      const brackets = new Brackets()
      brackets.push(text.slice(0, cut))
      brackets.push(text.slice(cut))
      expect({ text, cut, isWhole: brackets.isWhole }).toEqual({ text, cut, isWhole })
    }
  }
})
