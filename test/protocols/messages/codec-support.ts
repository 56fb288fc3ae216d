import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import type {
  DecodeContext,
  EncodeContext,
  EncodeOptions,
} from '../../../src/protocols/canonical/codec.ts'
import type { CanonicalRequest } from '../../../src/protocols/canonical/request.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../../src/protocols/sse.ts'
import { split } from '../feeding.ts'

/** A body as it is after its way over the wire. */
export const overTheWire = (body: unknown) => JSON.parse(JSON.stringify(body)) as JsonObject

/** Decodes a request, `max_tokens` and a message added where the case has none. */
export function decode(body: object): CanonicalRequest {
  const whole = { model: 'm', max_tokens: 100, messages: [user('Hi')], ...body }
  return messagesCodec.decodeRequest(whole, { model: 'path', stream: false })
}

/** A message of the user. */
export const user = (content: unknown) => ({ role: 'user', content })
/** A message of the assistant. */
export const assistant = (content: unknown) => ({ role: 'assistant', content })

/** A canonical request with as little as there can be. */
export function requestOf(more: Partial<CanonicalRequest>): CanonicalRequest {
  const turns = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] as const
  return { model: 'asked', stream: false, turns, tools: [], native: [], ...more }
}

/** The body for an upstream. */
export function encode(
  more: Partial<CanonicalRequest>,
  options: Partial<EncodeOptions> = {},
): JsonObject {
  const all = { model: 'up', quirks: new Set([]), defaultMaxOutputTokens: 8192, ...options }
  return overTheWire(messagesCodec.encodeRequest(requestOf(more), all))
}

/** What a decoder or encoder of answers is told. */
export function contextOf(
  request: Partial<CanonicalRequest> = {},
  model = 'asked',
): DecodeContext & EncodeContext {
  return {
    requestId: 'req1',
    request: requestOf(request),
    model,
    createdAt: 1_700_000_000,
    estimatedInputTokens: 42,
    body: {},
    framing: 'sse',
    library: '',
  }
}

/** What a decoder makes of a stream that comes in these chunks. */
export function decodeChunks(
  chunks: Iterable<Uint8Array>,
  context: DecodeContext = contextOf(),
): readonly AnswerEvent[] {
  const decoder = messagesCodec.createDecoder(context)
  const { frames } = split(createSseSplitter(), chunks)
  return [...frames.flatMap(({ data, event }) => decoder.push(data, event)), ...decoder.end()]
}

/** What a decoder makes of a stream's text. */
export const decodeText = (text: string, context?: DecodeContext) =>
  decodeChunks([new TextEncoder().encode(text)], context)

/** What a decoder makes of these events, its `end` included. */
export function decodeEvents(
  events: readonly object[],
  context: DecodeContext = contextOf(),
): readonly AnswerEvent[] {
  const decoder = messagesCodec.createDecoder(context)
  return [...events.flatMap((event) => decoder.push(JSON.stringify(event), '')), ...decoder.end()]
}

/** What a client is sent for these events. */
export function encodeEvents(
  events: readonly AnswerEvent[],
  context: EncodeContext = contextOf(),
): string {
  const encoder = messagesCodec.createEncoder(context)
  return events.map((event) => encoder.push(event)).join('')
}

/** Equal requests and answers may differ in this: paths, and members that say nothing. */
export function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(
    ([key, member]) => key !== 'at' && key !== 'native' && member !== undefined,
  )
  return Object.fromEntries(members.map(([key, member]) => [key, essence(member)]))
}
