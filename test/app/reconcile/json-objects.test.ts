import { expect, test } from 'bun:test'
import { createObjectCutter, type JsonShape } from '../../../src/app/reconcile/json-objects.ts'

/** Cuts a text that comes in pieces of so many bytes. */
function cut(shape: JsonShape, text: string, size = text.length * 4) {
  const cutter = createObjectCutter(shape)
  const bytes = new TextEncoder().encode(text)
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += size)
    rows.push(...cutter.push(bytes.slice(at, at + size)))
  return { rows, whole: cutter.end() }
}

const a = '{"id":"a","text":"} ] \\" { [ 你好","in":{"list":[{"deep":1}]}}'
const b = '{"id":"b"}'

const cases: readonly (readonly [string, JsonShape, string])[] = [
  ['lines', 'lines', `\uFEFF${a}\n\r\n ${b}\n`],
  ['one after the other', 'lines', `${a}${b}`],
  ['an array', 'array', ` [ ${a} ,\n${b}\n]\n`],
  ['a container', 'container', `{"object":"list","notes":["x"],"data":[${a},${b}],"more":false}`],
  ['only the first array of objects', 'container', `{"data":[${a},${b}],"errors":[{"id":"c"}]}`],
  ['objects beside the array', 'container', `{"page":{"x":[{"id":"c"}]},"data":[${a},${b}]}`],
  ['a container a line', 'container', `{"data":[${a}]}\n{"errors":1,"data":[${b}]}\n`],
]
for (const [name, shape, text] of cases) {
  test(`${name}: the same rows whole and cut at every byte`, () => {
    for (const size of [undefined, 1, 2, 3, 7, 64]) {
      expect(cut(shape, text, size)).toEqual({ rows: [a, b], whole: true })
    }
  })
}

test('what ends in the middle is told', () => {
  expect(cut('array', `[${a},{"id":`)).toEqual({ rows: [a], whole: false })
  expect(cut('array', `[${a},${b}`).whole).toBeFalse()
  expect(cut('lines', '{"id":"x').whole).toBeFalse()
})

test('a row that is too large is refused instead of held', () => {
  const cutter = createObjectCutter('lines')
  const chunk = new TextEncoder().encode(`{"text":"${'x'.repeat(300_000)}`)
  const push = () => {
    for (let i = 0; i < 10; i++) cutter.push(chunk.slice(i === 0 ? 0 : 9))
  }
  expect(push).toThrow('larger than 1 MiB')
})
