import type { AnswerEvent, CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import type { EncodeContext } from '../../../src/protocols/canonical/codec.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import type { CanonicalRequest } from '../../../src/protocols/canonical/request.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { responses } from '../../../src/protocols/responses/index.ts'
import { createSseSplitter } from '../../../src/protocols/sse.ts'
import { split } from '../feeding.ts'

/** A request that asks for nothing. */
export const request: CanonicalRequest = {
  model: 'm',
  stream: true,
  turns: [],
  tools: [],
  native: [],
}

export const context: EncodeContext = {
  requestId: 'r1',
  request,
  model: 'fast',
  createdAt: 1_700_000_000,
  estimatedInputTokens: 10,
  body: { model: 'fast', input: 'Hi', stream: true, include: ['web_search_call.action.sources'] },
  framing: 'sse',
  library: '',
}

/** What a body of a client is, in the canonical form. */
export const decodeRequest = (body: JsonObject) =>
  responses.codec.decodeRequest({ model: 'm', ...body }, { model: 'm', stream: false })

/** What goes to an upstream, as it arrives there. */
export function encodeRequest(more: Partial<CanonicalRequest>): JsonObject {
  const options = { model: 'up', quirks: new Set<never>(), defaultMaxOutputTokens: 100 }
  const body = responses.codec.encodeRequest({ ...request, stream: false, ...more }, options)
  return JSON.parse(JSON.stringify(body))
}

/** Frames of an upstream's stream, decoded to their end. */
export function decodeFrames(
  frames: readonly { readonly data: string; readonly event: string }[],
  decoding: EncodeContext = context,
): AnswerEvent[] {
  const decoder = responses.codec.createDecoder(decoding)
  const events = frames.flatMap(({ data, event }) => [...decoder.push(data, event)])
  return [...events, ...decoder.end()]
}

/** The same from the events themselves. */
export const decodeEvents = (events: readonly JsonObject[], decoding?: EncodeContext) =>
  decodeFrames(
    events.map((event) => ({ data: JSON.stringify(event), event: `${event.type}` })),
    decoding,
  )

/** What an upstream's events amount to. */
export const foldWire = (events: readonly JsonObject[]) => foldEvents(decodeEvents(events))

/** The frames of a stream's bytes, cut anyhow. */
export const framesOf = (chunks: Iterable<Uint8Array>) => split(createSseSplitter(), chunks).frames

export const bytesOf = (text: string) => new TextEncoder().encode(text)

/** A client's stream from canonical events. */
export function encodeStream(
  events: readonly AnswerEvent[],
  encoding: EncodeContext = context,
): string {
  const encoder = responses.codec.createEncoder(encoding)
  return events.map((event) => encoder.push(event)).join('')
}

/** An answer as the events of its blocks, one block after the other. */
export function unfold(answer: CanonicalResponse): AnswerEvent[] {
  const { id, model, createdAt, usage, serviceTier, choices } = answer
  const events: AnswerEvent[] = [{ type: 'start', id, model, createdAt }]
  for (const { index: choice, parts, finish } of choices) {
    for (const [at, part] of parts.entries()) events.push(...blockOf(part, `${choice}/${at}`))
    events.push({ type: 'finish', choice, ...finish })
  }
  return [...events, { type: 'end', usage, serviceTier }]
}

type AnswerPart = CanonicalResponse['choices'][number]['parts'][number]

function blockOf(part: AnswerPart, id: string): AnswerEvent[] {
  const choice = 0
  switch (part.type) {
    case 'text': {
      const { text, logprobs, citations } = part
      return [
        { type: 'text-start', id, choice },
        { type: 'text-delta', id, text, logprobs },
        { type: 'text-end', id, citations },
      ]
    }
    case 'reasoning':
      return [
        { type: 'reasoning-start', id, choice },
        { type: 'reasoning-delta', id, text: part.text },
        { type: 'reasoning-end', id, signature: part.signature },
      ]
    case 'refusal':
      return [
        { type: 'refusal-start', id, choice },
        { type: 'refusal-delta', id, text: part.text },
        { type: 'refusal-end', id },
      ]
    case 'tool-call': {
      const { callId, name, kind, input } = part
      return [
        { type: 'tool-call-start', id, choice, callId, name, kind },
        { type: 'tool-call-delta', id, text: input },
        { type: 'tool-call-end', id },
      ]
    }
    case 'search':
      return [
        { type: 'search-start', id, choice },
        { type: 'search-end', id, search: part },
      ]
    case 'image':
      return [{ type: 'image', choice, image: part }]
  }
}

const left = new Set(['at', 'native', 'cache', 'places', 'others'])

/** Without paths, and without what is undefined. */
export function bare(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, member) => (left.has(key) ? undefined : member)))
}
