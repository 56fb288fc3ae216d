import { expect, test } from 'bun:test'
import { compareCodePoints } from '../../src/lib/code-points.ts'

const names = [
  '',
  'a',
  'A',
  'aa',
  'ab',
  '·',
  '【',
  '】',
  '\uFF08',
  '\uE000',
  '\uD7FF',
  '😀',
  '😁',
  '𠀀',
  'a😀',
  'a\uFFFD',
]

test('orders as comparing the lists of code points does', () => {
  const reference = (a: string, b: string) => {
    const [left, right] = [a, b].map((text) => Array.from(text, (one) => one.codePointAt(0) ?? 0))
    for (let at = 0; left && right && at < Math.min(left.length, right.length); at++) {
      const difference = (left[at] ?? 0) - (right[at] ?? 0)
      if (difference !== 0) return Math.sign(difference)
    }
    return Math.sign((left?.length ?? 0) - (right?.length ?? 0))
  }
  for (const a of names)
    for (const b of names) expect(Math.sign(compareCodePoints(a, b))).toBe(reference(a, b))
})
