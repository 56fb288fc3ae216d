import type { Interruption } from '../../src/gateway/failures/failures.ts'
import { endlessMeter, type Meter } from '../../src/gateway/money/meter.ts'
import type { End } from '../../src/gateway/money/record.ts'
import { type Heartbeat, noHeartbeat } from '../../src/gateway/relay/heartbeat.ts'
import { createRelay } from '../../src/gateway/relay/relay.ts'
import type { StreamTranslator } from '../../src/gateway/translate/translation.ts'
import { createWatchdog, type Expiry } from '../../src/gateway/upstream/watchdog.ts'
import type { Observation } from '../../src/protocols/canonical/observation.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { FrameSplitter } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { type Dialect, dialects } from '../e2e/dialects.ts'
import { createExchange } from './exchange-parts.ts'

/** What the played upstream says it used. */
export const tokens = { input: 10, output: 20 }

/** Each protocol with the operation of its dialect. */
export const protocols = {
  chat: { protocol: chat, operation: chat.operations.completions },
  responses: { protocol: responses, operation: responses.operations.responses },
  messages: { protocol: messages, operation: messages.operations.messages },
  gemini: { protocol: gemini, operation: gemini.operations.generate },
} as const

export interface RelayOptions {
  readonly dialect?: Dialect
  readonly hideUsage?: boolean
  readonly onDisconnect?: 'bill_observed' | 'drain'
  readonly meter?: Meter
  readonly settle?: (end: End) => Promise<void>
  readonly translator?: StreamTranslator
  readonly heartbeat?: Heartbeat
  readonly splitter?: FrameSplitter
  /** The upstream's name of its model; by default one that is known not to reason. */
  readonly upstreamModel?: string
  readonly totalMs?: number
  /** Fields of the request beside its question. */
  readonly more?: object
  /** What comes first; by default the dialect's own beginning. */
  readonly first?: string
}

/** A relay between an upstream that the test plays and a client that the test is. */
export async function createScene(options: RelayOptions = {}) {
  const { dialect = dialects.chat, hideUsage = false, onDisconnect = 'bill_observed' } = options
  const { protocol, operation } = protocols[dialect.name]
  const { exchange } = await createExchange({
    protocol,
    operation,
    body: { ...dialect.request(true), ...options.more } as Record<string, unknown>,
    onDisconnect,
    ...(options.upstreamModel && { upstreamModel: options.upstreamModel }),
  })
  let now = 0
  const events: string[] = []
  const watchdog = createWatchdog(() => now)
  const controller = new AbortController()
  const upstream = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: upstream.resolve,
    cancel() {
      cancelled = true
    },
  })
  const far = await upstream.promise
  let expiry: Expiry | undefined
  const limits = { firstByteMs: 1000, idleMs: 1000, totalMs: options.totalMs ?? 10_000 }
  const watch = watchdog.watch(limits, (which) => {
    expiry = which
    controller.abort()
    exchange.notifyInterrupted()
  })
  controller.signal.addEventListener('abort', () => far.error(new Error('aborted')))
  exchange.abortBy(controller)
  const ends: { end: End; seen: Observation }[] = []
  const finished: (string | null)[] = []
  const stream = createRelay({
    exchange,
    answer: {
      kind: 'stream',
      contentType: 'text/event-stream',
      first: encode(options.first ?? dialect.first(tokens)),
      reader: body.getReader(),
      observer: operation.createObserver(),
      translator: options.translator,
      framing: 'sse',
      watch,
      signal: controller.signal,
      expiry: () => expiry,
      finish: (cause) => finished.push(cause),
    },
    splitter: options.splitter ?? createSseSplitter(),
    hideUsage,
    meter: options.meter ?? endlessMeter,
    heartbeat: options.heartbeat ?? noHeartbeat,
    async settle(end, seen) {
      ends.push({ end, seen: structuredClone(seen) })
      await turn() // a commit takes its time, and must be waited for
      await options.settle?.(end)
      events.push('settled')
    },
  })
  const read = async () => {
    const { done, value } = await stream.next()
    const text = done ? undefined : new TextDecoder().decode(value)
    events.push(text ?? 'end')
    return text
  }
  return {
    exchange,
    ...{ stream, ends, finished, events, read },
    send: (text: string) => far.enqueue(encode(text)),
    end: () => far.close(),
    breakOff: () => far.error(new Error('connection reset')),
    /** Whether the upstream was let go. */
    isClosed: () => cancelled || controller.signal.aborted,
    async readAll() {
      let all = ''
      for (let text = await read(); text !== undefined; text = await read()) all += text
      return all
    },
    interrupt(interruption: Interruption) {
      exchange.interrupt(interruption)
    },
    setTime(timeMs: number) {
      now = timeMs
    },
    /** Lets the clock stand at a time long enough for the watchdog to look at it. */
    async waitTo(timeMs: number) {
      now = timeMs
      await Bun.sleep(130)
    },
    [Symbol.dispose]: () => watchdog.stop(),
  }
}

const encode = (text: string) => new TextEncoder().encode(text)

/** Lets everything run that is ready. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))
