import { describe, expect, test } from 'bun:test'
import { cutMembers } from '../../src/gateway/body/native-body.ts'
import type { Path } from '../../src/protocols/request-extras.ts'

const cut = (text: string, ...paths: readonly Path[]) =>
  cutMembers(Buffer.from(text), paths).toString()

describe('members that are taken out', () => {
  const cases: readonly (readonly [
    name: string,
    text: string,
    paths: readonly Path[],
    left: string,
  ])[] = [
    ['the only one', '{ "tools": [1] }', [['tools']], '{  }'],
    ['the first', '{"a":1, "b":[ 2 ],"c":3}', [['a']], '{"b":[ 2 ],"c":3}'],
    ['one in the middle', '{"a":1, "b":[ 2 ],"c":3}', [['b']], '{"a":1, "c":3}'],
    ['the last', '{"a":1 , "b":"}" }', [['b']], '{"a":1 }'],
    ['entries of a list', '[1,{"a":2},"3", 4 ]', [[1], [3]], '[1,"3" ]'],
    ['the last ones of a list', '[1.0, 2 ,3]', [[1], [2]], '[1.0]'],
    ['all of a list', '[1, 2 ,3]', [[0], [1], [2]], '[]'],
    [
      'what lies deep',
      '{"t":[{"x":{}},{"g":1.50,"s":{"q":[]}}]}',
      [['t', 1, 's']],
      '{"t":[{"x":{}},{"g":1.50}]}',
    ],
    ['a name in escapes', '{"\\u0061":1,"b":2}', [['a']], '{"b":2}'],
    ['strings with brackets and quotes', '["]\\"",{"a":"}"},true]', [[1]], '["]\\"",true]'],
    [
      'nothing at a path that leads nowhere',
      '{"a":[1]}',
      [['a', 3], ['b'], ['a', 0, 'x']],
      '{"a":[1]}',
    ],
  ]
  test.each(cases)('%s', (_, text, paths, left) => {
    expect(cut(text, ...paths)).toBe(left)
  })

  test('leave valid JSON without them, whatever they are', () => {
    const value = { a: [1, { b: 'x,]' }, [], {}], c: { d: null, e: [true, 'y'] }, f: -1.5e3 }
    const all: Path[] = [['a'], ['c'], ['f']]
    for (const index of [0, 1, 2, 3]) all.push(['a', index])
    all.push(['a', 1, 'b'], ['c', 'd'], ['c', 'e'], ['c', 'e', 0], ['c', 'e', 1])
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      for (let chosen = 0; chosen < 2 ** all.length; chosen++) {
        const paths = all.filter((_, bit) => (chosen >> bit) & 1)
        expect(JSON.parse(cut(text, ...paths))).toEqual(without(value, paths))
      }
    }
  })
})

function without(value: unknown, paths: readonly Path[]): unknown {
  const isCut = (key: string | number) =>
    paths.some(([only, ...rest]) => only === key && rest.length === 0)
  const inside = (key: string | number) =>
    paths.filter(([first]) => first === key).map(([, ...rest]) => rest)
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => (isCut(index) ? [] : [without(entry, inside(index))]))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      isCut(key) ? [] : [[key, without(member, inside(key))]],
    ),
  )
}
