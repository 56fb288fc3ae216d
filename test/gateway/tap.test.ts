import { describe, expect, test } from 'bun:test'
import { Tap } from '../../src/gateway/relay/tap.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { pushThrough } from './push-through.ts'

const chunk = (delta: object, rest: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }], ...rest })}\n\n`
const report = `data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: 3 } })}\n\n`
const done = 'data: [DONE]\n\n'

function tapped(stream: string, hideUsage: boolean, cutBytes = stream.length): string {
  const observer = chat.operations.completions.createObserver()
  const tap = new Tap({
    splitter: createSseSplitter(),
    observer,
    hideUsage,
    limit: () => Number.POSITIVE_INFINITY,
    translator: undefined,
  })
  const bytes = new TextEncoder().encode(stream)
  const shown: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += cutBytes) {
    shown.push(pushThrough(tap, bytes.slice(at, at + cutBytes)))
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

describe('a stream that closes behind its finish reason', () => {
  const finish = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`
  const torn = 'data: {"id":"c","choices":[],"usa'

  test.each([1, 7, 10_000])('gets the last event that it lacks, cut at %p', (cutBytes) => {
    expect(tapped(report + finish, false, cutBytes)).toBe(report + finish + done)
    expect(tapped(finish + report, false, cutBytes)).toBe(finish + report + done)
    expect(tapped(finish + report, true, cutBytes)).toBe(finish + done)
  })

  test('gets it once where the upstream has written it, with its empty line or without', () => {
    for (const end of [done, 'data: [DONE]\n', 'data: [DONE]', 'data:[DONE]\r\n\r\n'])
      expect(tapped(report + finish + end, false)).toBe(report + finish + end)
  })

  test('gets it on a line of its own, and loses a frame that was torn off', () => {
    expect(tapped(report + finish.trimEnd(), false)).toBe(report + finish + done)
    expect(tapped(`${report + finish}: bye`, false)).toBe(`${report + finish}: bye\n\n${done}`)
    expect(tapped(report + finish + torn, false)).toBe(report + finish + done)
  })

  test('does not get it when an answer side by side with it has not finished', () => {
    const other = chunk({ content: 'a' }).replace('"index":0', '"index":1')
    expect(tapped(report + other + finish, false)).toBe(report + other + finish)
  })
})
