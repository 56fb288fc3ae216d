import { expect, test } from 'bun:test'
import { toJsonText } from '../../src/protocols/canonical/json-text.ts'
import { membersOf } from '../../src/protocols/json.ts'
import { requestMedia } from '../../src/protocols/request-content.ts'

test('members are those of an array, or of an object', () => {
  expect(membersOf([1, [2]])).toEqual([1, [2]])
  expect(membersOf({ a: 1, b: null })).toEqual([1, null])
})

/** Of so many, `Object.values` takes many times what parsing takes. */
const text = `[${'0,'.repeat(1_000_000)}0]`
const many: unknown = JSON.parse(text)

const leastMs = (work: () => unknown) =>
  Math.min(
    ...[1, 2, 3].map(() => {
      const before = performance.now()
      work()
      return performance.now() - before
    }),
  )
const parseMs = leastMs(() => JSON.parse(text))

test('a long array where a picture should be is looked through in time', () => {
  const ms = leastMs(() => requestMedia([{ type: 'image', source: { data: many } }]))
  expect(ms / parseMs).toBeLessThan(15)
})

test('a long array becomes text in time', () => {
  expect(leastMs(() => toJsonText(many)) / parseMs).toBeLessThan(15)
})
