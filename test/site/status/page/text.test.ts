import { expect, test } from 'bun:test'
import { duration, percent } from '../../../../src/site/figures.ts'
import { freeText, percentOf } from '../../../../src/site/status/page/words.ts'

test.each([
  [null, null],
  [1, '100%'],
  [0.999999, '99.99%'],
  [0.99995, '99.99%'],
  [0.9999, '99.99%'],
  [0.98765, '98.76%'],
  [0.29, '29.00%'],
  [0.57, '57.00%'],
  [0.000099, '0.00%'],
  [0, '0.00%'],
])('%p is told as %p: rounded down', (ratio, text) => {
  expect(percent(ratio)).toBe(text)
})

test('a bar of ten million requests with one failure is not 100%, one without any is', () => {
  expect(percentOf({ requests: 10_000_000, failed: 1 })).toBe('99.99%')
  expect(percentOf({ requests: 10_000_000, failed: 0 })).toBe('100%')
  expect(percentOf({ requests: 0, failed: 0 })).toBeNull()
})

test.each([
  [0, '0 ms'],
  [640, '640 ms'],
  [1_000, '1.0 s'],
  [2_101, '2.2 s'],
  [300_000, '300.0 s'],
])('%d ms are %s: never less than it was', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test('an operator’s words are text, on one line, and of a bearable length', () => {
  expect(freeText(`<b>"'&`, 60)).toBe('<bdi>&lt;b&gt;&quot;&#x27;&amp;</bdi>')
  expect(freeText('a\n\n b', 60)).toBe('<bdi>a b</bdi>')
  expect(freeText('默认【官转·稳定】', 60)).toBe('<bdi>默认【官转·稳定】</bdi>')
  expect(freeText('😀'.repeat(100), 3)).toBe('<bdi>😀😀😀…</bdi>')
  expect(freeText('x'.repeat(1e6), 5)).toBe('<bdi>xxxxx…</bdi>')
})
