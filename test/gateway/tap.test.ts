import { expect, test } from 'bun:test'
import { createTap } from '../../src/gateway/tap.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'

const chunk = (delta: object, rest: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }], ...rest })}\n\n`
const report = `data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: 3 } })}\n\n`
const done = 'data: [DONE]\n\n'

function tapped(stream: string, hideUsage: boolean, cutBytes = stream.length): string {
  const observer = chat.operations.completions.createObserver()
  const tap = createTap({
    splitter: createSseSplitter(),
    observer,
    hideUsage,
    limit: () => Number.POSITIVE_INFINITY,
    translator: undefined,
  })
  const bytes = new TextEncoder().encode(stream)
  const shown: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += cutBytes) {
    shown.push(tap.push(bytes.slice(at, at + cutBytes)))
  }
  expect(observer.seen.usage?.inputTokens).toBe(3)
  return new TextDecoder().decode(Buffer.concat([...shown, tap.end()]))
}

const chunks = chunk({ content: '你好' }, { usage: null }) + chunk({}, { system_fingerprint: 'f' })

test.each([1, 7, 64, 10_000])(
  'a client that did not ask for usage gets all but the chunk of nothing else, cut at %p',
  (cutBytes) => {
    expect(tapped(chunks + report + done, true, cutBytes)).toBe(chunks + done)
  },
)

test('a client that asked gets every byte', () => {
  expect(tapped(chunks + report + done, false)).toBe(chunks + report + done)
})
