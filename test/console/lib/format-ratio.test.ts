import { expect, test } from 'bun:test'
import { formatRatio } from '../../../src/console/lib/format.ts'

test.each([
  [null, 'no data'],
  [1, '100 %'],
  [0.99999, '99.99 %'],
  [0.9512, '95.12 %'],
  [0, '0 %'],
])('%p is %s', (ratio, text) => expect(formatRatio(ratio, 'no data')).toBe(text))
