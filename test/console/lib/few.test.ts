import { expect, test } from 'bun:test'
import { firstFew } from '../../../src/console/lib/few.ts'

const long = 'accounts/fireworks/models/llama-v3p1-405b-instruct-long'

test('of many names the first three are shown', () => {
  expect(firstFew(['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c'])
  expect(firstFew([])).toEqual([])
})

test('of long names fewer are shown, but one', () => {
  expect(firstFew(['gpt-5', long, 'gpt-5-mini'])).toEqual(['gpt-5'])
  expect(firstFew([long, 'gpt-5'])).toEqual([long])
})

test('one that fills more than two lines is cut', () => {
  expect(firstFew(['x'.repeat(200), 'y'])).toEqual([`${'x'.repeat(60)}…`])
})
