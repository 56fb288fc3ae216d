import { describe, expect, test } from 'bun:test'
import {
  affordedTokens,
  buildSettlement,
  type End,
  nothingUsed,
  usedTokens,
} from '../../src/gateway/money/record.ts'
import { createObservation, type Observation } from '../../src/protocols/canonical/observation.ts'
import { emptyUsage } from '../../src/protocols/canonical/usage.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { now } from '../store/support.ts'
import { createExchange, type ExchangeOptions } from './exchange-parts.ts'

const completions = {
  protocol: chat,
  operation: chat.operations.completions,
  body: { model: 'small', messages: [{ role: 'user', content: 'one two three four' }] },
}

/** A tokenizer whose counts can be checked by eye: words. */
const countWords = async (text: string) => text.split(/\s+/).filter(Boolean).length

function observed(changes: Partial<Observation>, text = ''): Observation {
  return {
    ...createObservation(),
    ...changes,
    text: { sample: text, length: text.length, bytes: text.length },
  }
}

async function use(seen: Observation, options: Partial<ExchangeOptions> = {}) {
  const { exchange } = await createExchange({ ...completions, ...options })
  return usedTokens(exchange, seen, countWords)
}

const usage = { ...emptyUsage, inputTokens: 7, outputTokens: 3 }
const inputOnly = { ...emptyUsage, inputTokens: 7, outputTokens: 1 }

describe('usedTokens', () => {
  test('the report counts, whatever was delivered', async () => {
    for (const outcome of ['complete', 'incomplete', 'failed'] as const) {
      const seen = observed({ outcome, usage }, 'a b c d e f g h')
      expect(await use(seen)).toEqual({ usage, estimated: false, clamped: false, calls: 1 })
    }
  })

  test('text that came behind the report is counted, and marked', async () => {
    const text = 'a b c d e f g h'
    for (const outcome of ['complete', 'failed'] as const) {
      const seen = observed({ outcome, usage, reportedLength: text.length - 1 }, text)
      expect(await use(seen)).toMatchObject({ usage: { outputTokens: 8 }, estimated: true })
      const told = observed({ outcome, usage, reportedLength: text.length }, text)
      expect(await use(told)).toMatchObject({ usage: { outputTokens: 3 }, estimated: false })
    }
  })

  test('B8: an explicit zero is a report', async () => {
    const seen = observed({ outcome: 'complete', usage: emptyUsage }, 'a b c')
    expect(await use(seen)).toEqual({
      usage: emptyUsage,
      estimated: false,
      clamped: false,
      calls: 1,
    })
  })

  test('without a report, question and delivered text are counted and marked', async () => {
    const counted = { ...emptyUsage, inputTokens: 4, outputTokens: 5 }
    for (const outcome of [undefined, 'complete', 'failed'] as const) {
      const used = await use(observed({ outcome }, 'a b c d e'))
      expect(used).toEqual({ usage: counted, estimated: true, clamped: false, calls: 1 })
    }
  })

  test('an answer that was continued is input, too: by what is known of it', async () => {
    const { exchange } = await createExchange(completions)
    const ensureStored = async () => {}
    exchange.reservation = {
      ...{ inputTokens: 9, outputTokens: 9, continuedTokens: 1_000, isEnough: false, ensureStored },
      boundNano: 9,
    }
    const used = await usedTokens(exchange, observed({}, 'a b c d e'), countWords)
    expect(used.usage).toEqual({ ...emptyUsage, inputTokens: 1_004, outputTokens: 5 })
  })

  test('a whole answer without text or report has used its question', async () => {
    const counted = { ...emptyUsage, inputTokens: 4 }
    expect(await use(observed({ outcome: 'complete' }))).toEqual({
      usage: counted,
      estimated: true,
      clamped: false,
      calls: 1,
    })
  })

  test('nothing delivered and nothing reported is nothing used', async () => {
    expect(await use(observed({}))).toEqual(nothingUsed)
    expect(await use(observed({ outcome: 'failed' }))).toEqual(nothingUsed)
  })

  test('broken off behind the first report: its output is what was delivered', async () => {
    expect(await use(observed({ usage: inputOnly }, 'a b c d'))).toEqual({
      usage: { ...inputOnly, outputTokens: 4 },
      estimated: true,
      clamped: false,
      calls: 1,
    })
  })

  test('broken off, a report that is above the count stands', async () => {
    expect(await use(observed({ usage }, 'a b'))).toEqual({
      usage,
      estimated: false,
      clamped: false,
      calls: 1,
    })
  })

  test('broken off before any text, the first report stands', async () => {
    const used = await use(observed({ usage: inputOnly }))
    expect(used).toEqual({ usage: inputOnly, estimated: false, clamped: false, calls: 1 })
  })

  test('text beyond the sample is taken to be like it', async () => {
    const seen = observed({})
    const text = { sample: 'a b c d ', length: 80, bytes: 80 }
    expect((await use({ ...seen, text })).usage.outputTokens).toBe(40)
  })

  test('images count as many calls as were asked for; none when nothing came', async () => {
    const images = {
      operation: chat.operations.imageGenerations,
      body: { model: 'small', prompt: 'a house', n: 3 },
    }
    expect((await use(observed({ outcome: 'complete', usage }), images)).calls).toBe(3)
    expect((await use(observed({ outcome: 'failed' }), images)).calls).toBe(0)
  })
})

test('of an answer that was ended for money so much output is charged as is paid for', async () => {
  const { exchange } = await createExchange(completions)
  const used = { ...nothingUsed, usage: { ...emptyUsage, inputTokens: 100, outputTokens: 50 } }
  const outputFor = (heldNano: number) =>
    affordedTokens(exchange, used, heldNano).usage.outputTokens
  // Input costs 800 a token, output 1,600.
  expect([80_000, 80_000 + 10 * 1_600, 1e9].map(outputFor)).toEqual([0, 10, 50])
  // Its input alone is more than was set aside: it is no guess that has ended it.
  expect(outputFor(79_999)).toBe(50)
})

describe('buildSettlement', () => {
  const end: End = { ending: 'complete', status: 200, cause: null, causeText: null }

  test('says who asked for what, how it ended and what it costs', async () => {
    const { exchange, caller } = await createExchange(completions)
    exchange.answeredTick = 1012.4
    const seen = observed({ outcome: 'complete', usage, usageRaw: { prompt_tokens: 7 } })
    const used = { usage, estimated: false, clamped: false, calls: 1 }
    const { request, attempts } = buildSettlement(exchange, caller, end, used, seen, 1034.6)
    expect(request).toMatchObject({
      ...{ requestId: 'req_1', createdAt: now, accountId: 1, tokenId: 1, groupId: 1, channelId: 1 },
      ...{ model: 'small', upstreamModel: 'gpt-4o', clientProtocol: 'chat', stream: false },
      ...{ ending: 'complete', status: 200, cause: null, inputTokens: 7, outputTokens: 3 },
      ...{ usageRaw: '{"prompt_tokens":7}', estimated: false, tierAbove: null },
      ...{ firstByteMs: 12, durationMs: 35, multiplierMillionths: 800_000 },
      // (7 × 1 + 3 × 2) USD per million × 0.8
      amountNano: 10_400,
    })
    expect(attempts).toBe(exchange.attempts)
  })

  test('a request that was refused before its model was known costs nothing', async () => {
    const { exchange, caller } = await createExchange(completions)
    const unplanned = { plan: undefined, candidate: undefined, route: undefined }
    const early = { ...exchange, ...unplanned, facts: undefined }
    const unknown = { ...early, model: undefined }
    const { request } = buildSettlement(unknown, caller, end, nothingUsed, undefined, 1001)
    expect(request).toMatchObject({
      ...{ model: null, upstreamModel: null, channelId: null, upstreamProtocol: null },
      ...{ amountNano: 0, priceId: null, usageRaw: null, firstByteMs: null, stream: false },
    })
  })

  test('a made-up model name of any length is cut', async () => {
    const { exchange, caller } = await createExchange(completions)
    exchange.model = 'x'.repeat(100_000)
    const { request } = buildSettlement(exchange, caller, end, nothingUsed, undefined, 1001)
    expect(request.model).toBe('x'.repeat(200))
  })
})
