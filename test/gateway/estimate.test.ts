import { expect, test } from 'bun:test'
import { countTokens } from '../../src/app/count-tokens.ts'
import { estimateTokens, sampleOf } from '../../src/gateway/money/estimate.ts'
import { startCpuTime } from '../support/cpu-time.ts'

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

test('a very long text is counted by pieces of it', async () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(100_000)
  expect(await estimate(text)).toBeWithin(990_000, 1_010_000)
})

test('a long text is not made cheap by how it begins, or by how it ends', async () => {
  const cheap = `${' '.repeat(127)}\n`.repeat(1_100)
  const dear = '0 % ; ? x # 7 ~ '.repeat(60_000)
  const expected = dear.length / 2
  for (const text of [cheap + dear, dear + cheap]) {
    expect((await estimate(text)) / expected).toBeWithin(0.8, 1.3)
  }
})

test('the same text is counted the same each time', async () => {
  const text = Array.from({ length: 60_000 }, (_, at) => `word ${at * 7919} `).join('')
  expect(await estimate(text)).toBe(await estimate(text))
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
  const takenMs = startCpuTime()
  const tokens = await estimate(text)
  expect(takenMs()).toBeLessThan(1000)
  // The same text in pieces that a tokenizer can take, and at most one token more for each cut.
  const piece = unit.repeat(1024 / unit.length)
  const expected = (await countTokens(piece)) * (text.length / piece.length)
  expect(tokens / expected).toBeWithin(0.95, 1.1)
})
