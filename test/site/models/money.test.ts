import { expect, test } from 'bun:test'
import {
  decimalsOf,
  perMillion,
  perUse,
  priceHtml,
  priceText,
  savingOf,
} from '../../../src/site/models/money.ts'

test.each([
  [1_250_000, 1_000_000, '$1.25'],
  [75_000, 1_000_000, '$0.075'],
  [1_250_000_000, 1_000_000, '$1,250.00'],
  [345_000, 650_000, '$0.2243'],
  [0, 1_000_000, '$0.00'],
  [1, 1_000_000, '$0.000001'],
  [4_200, 333_333, '$0.0014'],
])('%d micro-USD × %d millionths is shown as %s', (micro, multiplier, text) => {
  expect(priceText(perMillion(micro, multiplier))).toBe(text)
})

test('a rounded price has the exact one as its title', () => {
  expect(priceHtml(perMillion(345_000, 650_000))).toBe('<span title="$0.22425">$0.2243</span>')
  expect(priceHtml(perUse(10_000_000, 650_000))).toBe('$0.0065')
})

test('prices of a column have their points in line', () => {
  const prices = [1_250_000, 75_000].map((micro) => perMillion(micro))
  const texts = prices.map((price) => priceHtml(price, decimalsOf(prices)))
  expect(texts).toEqual(['$1.25\u2007', '$0.075'])
})

test.each([
  [800_000, 1_000_000, 20],
  [800_001, 1_000_000, 19],
  [1_000_000, 1_000_000, 0],
  [1_001_000, 1_000_000, -1],
])('%d instead of %d saves %d per cent, never overstated', (ours, list, saving) => {
  expect(savingOf(perMillion(ours), perMillion(list))).toBe(saving)
})

test('beside a free list price there is nothing to save', () => {
  expect(savingOf(perMillion(1), perMillion(0))).toBeNull()
})
