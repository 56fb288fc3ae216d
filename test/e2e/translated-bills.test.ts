import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { decodeStoredUsage } from '../../src/protocols/index.ts'
import { type RunningBinary, runBinary } from '../support/binary.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { ask, requestIdOf } from './caller.ts'
import { type Dialect, dialects, wholeStream } from './dialects.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { dialectOf, keyOn, pairs, startTranslating, wantsStream } from './translated.ts'

// What an upstream reports in its own words is what a client of another protocol pays.

interface Bill {
  readonly usage: object
  /** Disjoint, but for the reasoning. */
  readonly counts: Readonly<Record<string, number>>
}

const none = { cache_read_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0 }
const counted = (input: number, output: number, reasoning: number, more: object) => ({
  ...{ input_tokens: input, output_tokens: output, reasoning_tokens: reasoning, ...none, ...more },
})

/** A report with every kind of token that its vendor knows. */
const bills: Readonly<Record<Dialect['name'], Bill>> = {
  chat: {
    usage: {
      ...{ prompt_tokens: 1000, completion_tokens: 300, total_tokens: 1300 },
      prompt_tokens_details: { cached_tokens: 600 },
      completion_tokens_details: { reasoning_tokens: 120 },
    },
    counts: counted(400, 300, 120, { cache_read_tokens: 600 }),
  },
  responses: {
    usage: {
      ...{ input_tokens: 1000, output_tokens: 300, total_tokens: 1300 },
      input_tokens_details: { cached_tokens: 700 },
      output_tokens_details: { reasoning_tokens: 110 },
    },
    counts: counted(300, 300, 110, { cache_read_tokens: 700 }),
  },
  messages: {
    usage: {
      ...{ input_tokens: 50, output_tokens: 300 },
      ...{ cache_read_input_tokens: 600, cache_creation_input_tokens: 350 },
      cache_creation: { ephemeral_5m_input_tokens: 150, ephemeral_1h_input_tokens: 200 },
    },
    counts: counted(50, 300, 0, {
      ...{ cache_read_tokens: 600, cache_write_tokens: 150, cache_write_1h_tokens: 200 },
    }),
  },
  gemini: {
    usage: {
      ...{ promptTokenCount: 1000, candidatesTokenCount: 180, thoughtsTokenCount: 120 },
      ...{ cachedContentTokenCount: 600, totalTokenCount: 1300 },
    },
    counts: counted(400, 300, 120, { cache_read_tokens: 600 }),
  },
}
const price = { input: 1, output: 2, cache_read: 0.1, cache_write: 1.25, cache_write_1h: 2 }

/** Nano-USD of a thousandth of a micro-dollar each: by hand, from the price above. */
const costOf = ({ counts }: Bill) =>
  (counts.input_tokens ?? 0) * 1000 +
  (counts.output_tokens ?? 0) * 2000 +
  (counts.cache_read_tokens ?? 0) * 100 +
  (counts.cache_write_tokens ?? 0) * 1250 +
  (counts.cache_write_1h_tokens ?? 0) * 2000

/** The dialect's answers with another report of usage in them. */
const withUsage = (dialect: Dialect, text: string): string =>
  text.replaceAll(/"(usage|usageMetadata)":\{[^{}]*\}/g, (_, name) => {
    const { usage } = bills[dialect.name]
    return `"${name}":${JSON.stringify(usage)}`
  })

let upstream: FakeUpstream
let gateway: RunningBinary
let ledger: Ledger
const ids: string[] = []
const tokens = { input: 1, output: 1 }
beforeAll(async () => {
  upstream = startFakeUpstream((request) => {
    const dialect = dialectOf(request)
    if (wantsStream(request))
      return sseAnswer(withUsage(dialect, wholeStream(dialect, tokens, ['Hi'])))
    return jsonAnswer(JSON.parse(withUsage(dialect, JSON.stringify(dialect.body(tokens)))))
  })
  gateway = await startTranslating(upstream.url, { prices: { 'test-model': price } })
  ledger = openLedger(gateway.cwd)
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

const config = () => join(gateway.cwd, 'tollgate.yaml')

/** The usage in a whole answer, or the last of a stream. */
function reportUsage(text: string): unknown {
  const found = [...text.matchAll(/"(?:usage|usageMetadata)":(\{(?:[^{}]|\{[^{}]*\})*\})/g)]
  return JSON.parse(found.at(-1)?.[1] ?? 'null')
}

describe.each(pairs)('$name', ({ client, upstream }) => {
  test.each([false, true])(
    'the upstream’s report is what is charged (streamed: %p)',
    async (stream) => {
      const bill = bills[upstream.name]
      const answer = await ask(gateway.url, client, stream, { key: keyOn(upstream) })
      const text = await answer.text()
      const id = requestIdOf(answer)
      ids.push(id)
      expect(await ledger.record(id)).toMatchObject({
        ...{ client_protocol: client.name, upstream_protocol: upstream.name, estimated: 0 },
        ...{ ...bill.counts, amount_nano: costOf(bill), charged_nano: -costOf(bill) },
      })
      const { exitCode, stdout } = await runBinary(['receipt', id, '--json', '--config', config()])
      expect(exitCode).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({
        ...{ request_id: id, client_protocol: client.name, upstream_protocol: upstream.name },
        ...{ ...bill.counts, amount_nano: costOf(bill) },
      })
      // In its own words the client is told the same, as far as these have a word for it.
      const told = decodeStoredUsage(client.name, reportUsage(text))
      const { counts } = bill
      const hasWrites = client !== dialects.gemini
      const writes = (counts.cache_write_tokens ?? 0) + (counts.cache_write_1h_tokens ?? 0)
      const all = (counts.input_tokens ?? 0) + (counts.cache_read_tokens ?? 0) + writes
      const { inputTokens = 0, cacheReadTokens = 0, outputTokens } = told ?? {}
      const toldWrites = (told?.cacheWriteTokens ?? 0) + (told?.cacheWrite1hTokens ?? 0)
      expect({
        all: inputTokens + cacheReadTokens + toldWrites,
        cacheReadTokens,
        outputTokens,
      }).toEqual({
        ...{
          all,
          cacheReadTokens: counts.cache_read_tokens ?? 0,
          outputTokens: counts.output_tokens,
        },
      })
      if (hasWrites) expect(toldWrites).toBe(writes)
    },
  )
})

test('verify finds that all of it is right', async () => {
  expect(ids.length).toBe(24)
  const { exitCode, stdout } = await runBinary(['verify', '--config', config()])
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.any(String) as string })
})
