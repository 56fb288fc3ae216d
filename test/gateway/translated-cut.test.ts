import { describe, expect, test } from 'bun:test'
import { checkBody } from '../../src/gateway/body/body.ts'
import { unshortened } from '../../src/gateway/body/outline.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import { Tap } from '../../src/gateway/relay/tap.ts'
import { createTranslation, decodeRequest } from '../../src/gateway/translate/translation.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import type { JsonObject } from '../../src/protocols/protocol.ts'
import { heldBytesLimit } from '../../src/protocols/splitter.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { dialects } from '../e2e/dialects.ts'
import { type Pair, pairs, spoken, violations } from '../e2e/translated.ts'
import { plainChannel } from '../support/no-limits.ts'
import { pushThrough } from './push-through.ts'
import { protocols } from './relay-scene.ts'

const words = ['one', ' two', ' three', ' four']
const tokens = { input: 10, output: 4 }
const encode = (text: string) => Buffer.from(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** A tap for a client of one protocol on an upstream of another. */
function tapFor({ client, upstream }: Pair, limit = 0) {
  const { protocol, operation } = protocols[client.name]
  const spoken = protocols[upstream.name].protocol
  const value = client.request(true) as JsonObject
  const parsed = { bytes: encode(''), contentType: '', fields: undefined }
  const body = checkBody({ ...parsed, ...unshortened(value) }, operation)
  const timeouts = { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 }
  const channel = {
    ...{ id: 1, name: 'c', keys: ['k'], priority: 0, weight: 1, timeouts },
    ...{ speaks: { [upstream.name]: 'https://vendor.example' }, allowPrivate: false, quirks: [] },
    ...plainChannel,
  }
  const media = { of: () => () => Promise.reject(new Error('no files here')) }
  const { texts: sealer } = createSecretBox('a secret')
  const request = decodeRequest(protocol, body, 'm')
  const task = { client: protocol, body, model: 'm', isStrict: false, owner: '1' }
  const candidate = { channel, upstreamModel: 'm' }
  const translation = createTranslation({ sealer, media }, task, request, candidate, spoken)
  const answered = {
    requestId: 'req_1',
    model: 'm',
    createdAt: 0,
    estimatedInputTokens: 3,
  } as const
  const translator = translation.stream({ ...answered, framing: 'sse', library: '' })
  const observer = spoken.generation.createObserver()
  const parts = { observer, hideUsage: false, limit: () => limit, translator }
  const tap = new Tap({ splitter: createSseSplitter(), ...parts })
  return { tap, translator, seen: observer.seen }
}

const failure = {
  ...{ status: 402, code: 'balance_used_up', message: 'The balance is used up.' },
  ...{ param: undefined, requestId: 'req_1' },
}

describe.each(pairs)('$name', (pair) => {
  const { client, upstream } = pair
  const first = upstream.first(tokens)
  const framesIn = (text: string) => text.split(/\r?\n\r?\n/).filter(Boolean).length
  const whole = first + words.map(upstream.piece).join('') + upstream.last(tokens)

  test('B2: cut before any frame of what came at once, the client gets what is before it', () => {
    for (let frame = 0; frame <= framesIn(whole); frame++) {
      const { tap, translator, seen } = tapFor(pair)
      tap.observe(encode(whole))
      expect(tap.frameCount()).toBe(framesIn(whole))
      const kept = Math.min(Math.max(0, frame - framesIn(first)), words.length)
      const paid = decode(tap.cutBefore(frame))
      expect(seen.text.sample).toBe(words.slice(0, kept).join(''))
      // An end that was paid for is the end; before it there must be an error.
      const text = paid + translator.fail(failure)
      expect([frame, spoken(client, text)]).toEqual([frame, words.slice(0, kept).join('')])
      const ending = client.isWhole(text) ? 'complete' : 'error'
      if (kept < words.length) expect(ending).toBe('error')
      expect([frame, violations(client, text, ending)]).toEqual([frame, []])
    }
  })

  test('what is only observed is not written: a client that has left costs no translation', () => {
    const { tap, translator, seen } = tapFor(pair)
    tap.observe(encode(whole))
    expect(seen.usage).toMatchObject({ inputTokens: 10, outputTokens: 4 })
    expect(violations(client, translator.fail(failure), 'error')).toEqual([])
  })

  test('uncut it is whole, and the translator knows', () => {
    const { tap, translator } = tapFor(pair, Number.POSITIVE_INFINITY)
    expect(translator.isOver()).toBeFalse()
    const text = decode(pushThrough(tap, encode(whole))) + decode(tap.end())
    expect(violations(client, text, 'complete')).toEqual([])
    expect(translator.isOver()).toBeTrue()
    expect(translator.fail(failure)).toBe('')
  })

  test('an upstream that only begins has told no end', () => {
    const { tap, translator } = tapFor(pair)
    pushThrough(tap, encode(first + upstream.piece('Hello')))
    tap.end()
    expect(translator.isOver()).toBeFalse()
    translator.fail(failure)
    expect(translator.isOver()).toBeTrue()
  })
})

test('an event too large to be held is no silent loss', () => {
  const [pair] = pairs
  if (pair === undefined) throw new Error('There are no pairs.')
  const { tap } = tapFor(pair, Number.POSITIVE_INFINITY)
  pushThrough(tap, encode(dialects.responses.first(tokens)))
  const piece = encode('x'.repeat(8 * 1024 * 1024))
  pushThrough(tap, encode('data: {"type":"response.output_text.delta","delta":"'))
  const push = () => {
    for (let sent = 0; sent <= heldBytesLimit; sent += piece.length) pushThrough(tap, piece)
  }
  expect(push).toThrow(GatewayError)
})
