import { afterAll, describe, expect, test } from 'bun:test'
import type { Option } from '../../src/gateway/admit/options.ts'
import { checkBody } from '../../src/gateway/body/body.ts'
import { unshortened } from '../../src/gateway/body/outline.ts'
import type { Choice } from '../../src/gateway/channels/chooser.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import { createMemoryBudget } from '../../src/gateway/memory/memory-budget.ts'
import type { OutboundCall } from '../../src/gateway/outbound/outbound.ts'
import type { Translation } from '../../src/gateway/translate/translation.ts'
import { attempt } from '../../src/gateway/upstream/ask-channels.ts'
import { createWatchdog } from '../../src/gateway/upstream/watchdog.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { dialects } from '../e2e/dialects.ts'
import { createExchange } from './exchange-parts.ts'

// One attempt at a channel of another protocol: what comes before the upstream is asked.

const tokens = { input: 10, output: 5 }
/** How long the upstream may be silent. */
const silenceMs = 500
const watchdog = createWatchdog(() => performance.now())
afterAll(() => watchdog.stop())

/** An attempt whose request is made ready by `encode`, at an upstream that answers at once. */
async function createScene(encode: Translation['encode']) {
  const operation = chat.operations.completions
  const value = dialects.chat.request(false) as Record<string, unknown>
  const { exchange } = await createExchange({ protocol: chat, operation, body: value })
  const { candidate } = exchange
  if (candidate === undefined) throw new Error('There is no channel.')
  const parsed = { bytes: Buffer.alloc(0), contentType: '', fields: undefined }
  const body = checkBody({ ...parsed, ...unshortened(value) }, operation)
  const translation: Translation = {
    hiddenWork: () => 'some' as const,
    dropped: ['seed'],
    encode,
    body: () => new TextEncoder().encode('{}'),
    stream: () => {
      throw new Error('This is no stream.')
    },
    refusal: () => ({ message: 'no' }),
  }
  const timeouts = { connectMs: 1000, firstByteMs: silenceMs, idleMs: silenceMs, totalMs: 2000 }
  const speaks = { messages: 'https://vendor.example' }
  const route = {
    ...{ protocol: messages, operation: messages.generation, framing: 'sse' as const },
    translation,
  }
  const option: Option = {
    ...{ ...candidate, channel: { ...candidate.channel, timeouts, speaks } },
    ...{ isNative: false, route: () => route },
  }
  const asked: OutboundCall[] = []
  const outbound = async (call: OutboundCall) => {
    asked.push(call)
    return Response.json(dialects.messages.body(tokens))
  }
  const clocks = { clock: () => 0, tick: () => performance.now() }
  const log = { info() {}, warn() {}, error() {} }
  const memory = createMemoryBudget({ totalBytes: Number.MAX_SAFE_INTEGER })
  const counted = { memory, memoryWaitMs: () => 0, origins: { keyMark: () => 'mark' } }
  const parts = { outbound, watchdog, log, onAttempt() {}, ...clocks, ...counted }
  const told: string[] = []
  const choice: Choice = {
    ...{ option, key: 'key', isTrial: false },
    withoutVerdict: () => told.push('no verdict'),
    succeeded: () => told.push('succeeded'),
    failed: ({ name }) => told.push(name),
    broke: ({ name }) => told.push(name),
    ended() {},
  }
  return { exchange, asked, told, run: () => attempt(parts, exchange, body, choice, undefined) }
}

const bytes = Buffer.from('{}')

describe('files are fetched before the upstream is asked', () => {
  test('the time that it takes is not the upstream’s silence', async () => {
    const { exchange, asked, told, run } = await createScene(async () => {
      await Bun.sleep(silenceMs + 100)
      return bytes
    })
    expect(await run()).toMatchObject({ ok: true, answer: { kind: 'body' } })
    expect(asked.length).toBe(1)
    expect(exchange.attempts).toMatchObject([{ status: 200, cause: null }])
    expect(exchange.attempts[0]?.durationMs).toBeLessThan(silenceMs)
    expect(told).toEqual(['succeeded'])
    expect(exchange.dropped).toEqual(['seed'])
  })

  test('a client that leaves meanwhile: nobody is asked, and no channel is to blame', async () => {
    const { exchange, asked, told, run } = await createScene(async (signal) => {
      const { promise, reject } = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => reject(signal.reason))
      return promise
    })
    const running = run()
    exchange.interruption = 'client_left'
    exchange.abort()
    expect(await running).toMatchObject({ ok: false })
    expect(asked).toEqual([])
    expect(exchange.attempts).toEqual([])
    expect(told).toEqual([])
  })

  test('a file that can’t be had is the request’s fault, and no attempt', async () => {
    const refused = new GatewayError('invalid_value', 'The file is larger than 20 MiB.')
    const { exchange, asked, run } = await createScene(() => Promise.reject(refused))
    await expect(run()).rejects.toBe(refused)
    expect([asked, exchange.attempts]).toEqual([[], []])
  })

  test('a fault of the gateway’s own is not taken for the upstream’s', async () => {
    const bug = new TypeError('a bug')
    const { exchange, run } = await createScene(() => Promise.reject(bug))
    await expect(run()).rejects.toBe(bug)
    expect(exchange.attempts).toEqual([])
  })
})
