import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import type {
  EncodeContext,
  EncodeOptions,
  StreamDecoder,
} from '../../../src/protocols/canonical/codec.ts'
import type { CanonicalRequest, Part, Turn } from '../../../src/protocols/canonical/request.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import type { Split } from '../feeding.ts'

export const target = { model: 'gemini-3-flash', stream: false }

/** A body, decoded, without paths and without what was not asked for. */
export const decode = (body: JsonObject) => plain(gemini.codec.decodeRequest(body, target))

/** The parts of a body with this one part from the user. */
export const decodeUserPart = (part: JsonObject) =>
  decode({ contents: [{ parts: [part] }] }).turns[0]?.parts ?? []

/** The uses of what only this protocol has, as `feature at`. */
export const nativeOf = (body: JsonObject) =>
  gemini.codec.decodeRequest(body, target).native.map(({ feature, at }) => `${feature} ${at}`)

export const options: EncodeOptions = {
  model: 'gemini-3-flash',
  quirks: new Set(),
  defaultMaxOutputTokens: 1000,
}

/** A request with nothing in it but what is given. */
export const request = (more: Partial<CanonicalRequest> = {}): CanonicalRequest => ({
  model: 'm',
  stream: false,
  turns: [user('Hi')],
  tools: [],
  native: [],
  ...more,
})

export const user = (...parts: (string | Part)[]): Turn => turn('user', parts)
export const assistant = (...parts: (string | Part)[]): Turn => turn('assistant', parts)
export const turn = (role: Turn['role'], parts: readonly (string | Part)[]): Turn => ({
  role,
  parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
})

export const call = (callId: string, name = 'look', input = '{}'): Part => ({
  type: 'tool-call',
  callId,
  name,
  kind: 'function',
  input,
})

export const result = (callId: string, text: string, name = 'look'): Part => ({
  type: 'tool-result',
  callId,
  name,
  kind: 'function',
  parts: [{ type: 'text', text }],
})

/** An encoded body as the upstream reads it. */
export const encode = (
  more: Partial<CanonicalRequest>,
  model: string = options.model,
): Record<string, unknown> =>
  parsed(gemini.codec.encodeRequest(request(more), { ...options, model }))

export const parsed = (value: unknown) => JSON.parse(JSON.stringify(value))

/** Without `at`, without undefined members, and with all names in order. */
export function plain<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) => {
      if (key === 'at') return undefined
      if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
      return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
    }),
  ) as T
}

export const context = (more: Partial<EncodeContext> = {}): EncodeContext => ({
  requestId: 'req1',
  request: request(),
  model: 'asked-for',
  createdAt: 1_700_000_000,
  estimatedInputTokens: 3,
  body: {},
  framing: 'sse',
  library: '',
  ...more,
})

/** All events of a stream, given as its frames. */
export function eventsOf(frames: Split['frames'], decoder: StreamDecoder): AnswerEvent[] {
  const events = frames.flatMap(({ data, event }) => [...decoder.push(data, event)])
  return [...events, ...decoder.end()]
}

/** All events of a stream, given as its chunks. */
export const eventsOfChunks = (chunks: readonly unknown[], more: Partial<EncodeContext> = {}) =>
  eventsOf(
    chunks.map((chunk) => ({ event: '', data: JSON.stringify(chunk) })),
    gemini.codec.createDecoder(context(more)),
  )

/** A chunk with these parts. */
export const chunkOf = (parts: readonly unknown[], more: JsonObject = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
})
