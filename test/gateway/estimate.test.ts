import { expect, test } from 'bun:test'
import { countTokens } from '../../src/app/count-tokens.ts'
import { estimateTokens, sampleOf } from '../../src/gateway/estimate.ts'

const estimate = (text: string) => estimateTokens(sampleOf(text), countTokens)

test('an ordinary text is counted as the tokenizer counts it', async () => {
  const texts = [
    '',
    'Hello, world!',
    '一个标点符号很多的句子，它被分成了几个部分。'.repeat(500),
    'The quick brown fox jumps over the lazy dog. '.repeat(2000),
    JSON.stringify({ name: 'lookup', arguments: { city: 'Paris', days: [1, 2, 3] } }).repeat(100),
  ]
  for (const text of texts) expect(await estimate(text)).toBe(await countTokens(text))
})

test('a very long text is counted by its beginning', async () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(100_000)
  expect(await estimate(text)).toBeWithin(990_000, 1_010_000)
})

// A tokenizer's time grows with the square of what it can't split: 64 K of it took up to a minute,
// in which the whole gateway stood still.
test.each([
  ['letters', 'x'],
  ['Chinese without punctuation', '你好世界'],
  ['blanks', ' '],
  ['signs', '='],
  ['emoji', '😀'],
  ['signs and line breaks', '/\n'],
  ['runs just below the limit', `${'好'.repeat(255)} `],
])('a wall of %s takes no time', async (_name, unit) => {
  await countTokens('loads its tables')
  const text = unit.repeat(65_536 / unit.length)
  const started = performance.now()
  const tokens = await estimate(text)
  expect(performance.now() - started).toBeLessThan(1000)
  // The same text in pieces that a tokenizer can take, and at most one token more for each cut.
  const piece = unit.repeat(1024 / unit.length)
  const expected = (await countTokens(piece)) * (text.length / piece.length)
  expect(tokens / expected).toBeWithin(0.95, 1.1)
})
