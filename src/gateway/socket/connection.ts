import type { Clock } from '../../lib/clock.ts'
import { formatSizeBytes } from '../../lib/format.ts'
import { createRequestId } from '../../lib/ids.ts'
import { emptyUsage } from '../../protocols/canonical/usage.ts'
import { parseJsonObject } from '../../protocols/json.ts'
import type { Frame, JsonObject } from '../../protocols/protocol.ts'
import { responses } from '../../protocols/responses/index.ts'
import { ownResponseId } from '../../protocols/responses/wire.ts'
import { createSseSplitter } from '../../protocols/sse.ts'
import { errorBody, errorHeaders, GatewayError } from '../errors.ts'
import {
  continuable,
  type InputBody,
  itemsOf,
  itemsOfList,
  joinItems,
  previousIdIn,
  withItems,
} from '../own-responses/continue.ts'
import {
  type CreateMessage,
  errorEvent,
  eventText,
  headersOf,
  readMessage,
} from './client-message.ts'
import type { SocketMemory } from './socket-memory.ts'

interface Wire {
  /** How many bytes went out; -1: backpressure; 0: the socket is closed. */
  send(text: string): number
  close(code?: number, reason?: string): void
  terminate(): void
}

/** The server's events of a socket. */
interface SocketEvents {
  open(wire: Wire): void
  message(wire: Wire, data: string | Buffer): void
  drain(): void
  close(): void
}

export interface Connection extends SocketEvents {
  /** Closes it after the running response; `last`: a final event. */
  end(code: number, reason: string, last?: JsonObject): void
  /** Closes it at once, with half a message that may have come; false: a response is running. */
  dropIdle(): boolean
  drop(): void
}

export interface ConnectionParts {
  readonly accountId: number
  readonly ask: (body: Buffer, signal: AbortSignal) => Promise<Response>
  /** Checks a warm-up like any request: the key and its limits. Throws its refusal. */
  readonly admit: (body: Buffer, signal: AbortSignal) => Promise<JsonObject>
  readonly memory: SocketMemory
  readonly maxBytes: () => number
  readonly clock: Clock
  readonly onClose: () => void
  readonly onFault: (error: unknown) => void
}

/** The most refused messages while a response runs: no client sends more without reading. */
const mostUntimely = 32
const largestEvent = 64 * 1_048_576

/** Answers a socket, one response at a time, like POSTs, with backpressure to the upstream. */
export function createConnection(parts: ConnectionParts): Connection {
  const { memory, accountId } = parts
  const self = {}
  let wire: Wire | undefined
  let running: AbortController | undefined
  let full: PromiseWithResolvers<void> | undefined
  let untimely = 0
  let ending: (() => void) | undefined

  function send(text: string): Promise<void> | undefined {
    const sent = wire?.send(text) ?? 0
    if (sent === 0) {
      // A client that missed an event would wait forever for its answer's end.
      wire?.terminate()
      wire = undefined
      running?.abort()
    }
    if (sent >= 0) return undefined
    full ??= Promise.withResolvers()
    return full.promise
  }

  function drain(): void {
    full?.resolve()
    full = undefined
  }

  const sendError = (status: number, body: string, headers: JsonObject, lane: JsonObject) =>
    send(JSON.stringify({ ...lane, ...errorEvent(status, body, headers) }))

  function refuse(error: unknown, lane: JsonObject): void {
    // Refusals must not pile up for a client that does not read.
    if (full) {
      wire?.terminate()
      return
    }
    if (!(error instanceof GatewayError)) parts.onFault(error)
    const shown = error instanceof GatewayError ? error : new GatewayError('internal', failed)
    const requestId = createRequestId()
    const headers = headersOf(new Headers(errorHeaders(shown, responses, requestId)))
    sendError(shown.status, errorBody(shown, responses, requestId), headers, lane)
    if (shown.status === 401) wire?.close(1008, 'Unauthorized')
  }

  async function passOn(answer: Response, lane: JsonObject, signal: AbortSignal): Promise<string> {
    const splitter = createSseSplitter(largestEvent)
    const headers = headersOf(answer.headers)
    const reader = answer.body?.getReader()
    let more: JsonObject = { ...lane, headers }
    let last = ''
    while (reader && !signal.aborted) {
      const { done, value } = await reader.read()
      for (const { data } of (done ? splitter.end() : splitter.push(value)).frames) {
        if (data === '[DONE]') continue
        const waiting = send(eventText(data, more))
        more = lane
        last = data
        if (waiting) await waiting
      }
      if (done) return last
    }
    await reader?.cancel()
    return ''
  }

  /** Keeps the conversation where neither the upstream nor the gateway keeps the response. */
  function remember(last: string, items: Buffer, previousId: string | null): void {
    if (wire === undefined) return // the client is gone
    const { response } = parseJsonObject(last) ?? {}
    const { id, status, store } = (response ?? {}) as JsonObject
    if (typeof id !== 'string' || (status !== 'completed' && status !== 'incomplete')) return
    if (store === true) {
      memory.forget(self)
      return
    }
    const output = itemsOfList(continuable(response as JsonObject))
    memory.remember(self, accountId, { id, previousId, items: joinItems([items, output]) })
  }

  async function create(message: CreateMessage, lane: JsonObject, signal: AbortSignal) {
    const { body, items, previousId } = withMemory(message)
    if (!message.generates) {
      const admitted = await parts.admit(withoutItems(message), signal)
      const { id, events } = warmUp(admitted, parts.clock())
      if (signal.aborted) return
      memory.remember(self, accountId, { id, previousId, items })
      for (const { data } of events) await send(eventText(data, lane))
      return
    }
    const answer = await parts.ask(body, signal)
    if (answer.ok) return remember(await passOn(answer, lane, signal), items, previousId)
    sendError(answer.status, await answer.text(), headersOf(answer.headers), lane)
    if (answer.status === 401) wire?.close(1008, 'Unauthorized')
  }

  function withMemory(message: CreateMessage) {
    const previousId = previousIdIn(message)
    const known = previousId === null ? undefined : memory.find(self, previousId)
    const own = itemsOf(message)
    if (known === undefined) return { body: message.bytes, items: own, previousId }
    const items = joinItems([known.items, own])
    if (items.byteLength > parts.maxBytes()) throw tooLarge()
    const whole = withItems(message, items, { continues: known.previousId })
    return { body: whole, items, previousId: known.previousId }
  }

  async function answer(bytes: Buffer, controller: AbortController): Promise<void> {
    let lane: JsonObject = {}
    try {
      // Answers must not pile up for a client that does not read, even free ones.
      await full?.promise
      if (controller.signal.aborted) return
      if (bytes.byteLength > parts.maxBytes()) throw tooLarge()
      const message = await readMessage(bytes, String(accountId))
      if (message?.lane !== undefined) lane = { stream_id: message.lane }
      if (message) await create(message, lane, controller.signal)
    } catch (error) {
      if (!controller.signal.aborted) refuse(error, lane)
    } finally {
      running = undefined
      ending?.()
    }
  }

  return {
    open(opened) {
      wire = opened
    },
    message(_, data) {
      if (ending) return
      if (running === undefined) {
        running = new AbortController()
        untimely = 0
        void answer(Buffer.from(data), running)
      } else if (!isNote(data)) {
        refuse(busy(), {})
        if (++untimely > mostUntimely) wire?.close(1008, 'Too many messages')
      }
    },
    drain,
    close() {
      wire = undefined
      running?.abort()
      drain()
      memory.forget(self)
      parts.onClose()
    },
    end(code, reason, last) {
      ending = () => {
        if (last) send(JSON.stringify(last))
        wire?.close(code, reason)
      }
      if (running === undefined) ending()
    },
    dropIdle() {
      if (running === undefined) wire?.terminate()
      return running === undefined
    },
    drop: () => wire?.terminate(),
  }
}

/** Messages that a client may send at any time without an answer. */
const isNote = (data: string | Buffer) =>
  data.length < 4_096 && parseJsonObject(data.toString())?.type === 'response.processed'

const failed = 'The gateway failed. Try again, or tell its operator.'

const busy = () =>
  new GatewayError(
    'concurrency_limited',
    'A response is under way on this connection: one at a time. Wait for its end, or open another one.',
    { retryAfter: 1 },
  )

const tooLarge = () =>
  new GatewayError(
    'body_too_large',
    'The message, or the conversation, is larger than the limit here.',
  )

/** The most bytes of a warm-up without its input: it is free, so its work must stay small. */
const largestWarmUp = 1_048_576

/** A warm-up without its items; throws the 413 of one that is too large beside them. */
function withoutItems(message: InputBody): Buffer {
  const hasItems = itemsOf(message).byteLength > 0
  const body = hasItems ? withItems(message, Buffer.alloc(0), {}) : message.bytes
  if (body.byteLength <= largestWarmUp) return body
  throw new GatewayError(
    'body_too_large',
    `A message with generate: false may have ${formatSizeBytes(largestWarmUp)} beside its input. Leave generate out.`,
  )
}

/** A response that generated nothing, to be continued on its connection. */
interface WarmUp {
  readonly id: string
  readonly events: readonly Frame[]
}

/** Prepares a response without an upstream or a charge. `nowMs` since 1970. */
export function warmUp(body: JsonObject, nowMs: number): WarmUp {
  const requestId = createRequestId()
  const model = typeof body.model === 'string' ? body.model : ''
  const { input: _, ...echoed } = body
  const encode = responses.codec.createEncoder({
    requestId,
    model,
    body: echoed,
    framing: 'sse',
    library: '',
    estimatedInputTokens: 0,
    createdAt: Math.floor(nowMs / 1_000),
    request: { model, stream: true, turns: [], tools: [], native: [] },
  })
  const begun = encode.push({ type: 'start' })
  const text =
    begun +
    encode.push({ type: 'finish', choice: 0, reason: 'stop' }) +
    encode.push({ type: 'end', usage: emptyUsage })
  const { frames } = createSseSplitter().push(new TextEncoder().encode(text))
  return { id: ownResponseId(requestId), events: frames }
}
