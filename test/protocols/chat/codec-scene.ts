import type { AnswerEvent, CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import type { EncodeContext, EncodeOptions } from '../../../src/protocols/canonical/codec.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import type { Quirk } from '../../../src/protocols/canonical/quirks.ts'
import type { CanonicalRequest } from '../../../src/protocols/canonical/request.ts'
import { chatCodec } from '../../../src/protocols/chat/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../../src/protocols/sse.ts'
import { split } from '../feeding.ts'
import { checkEvents } from './event-checker.ts'

/** A request with nothing in it but what is given. */
export function request(given: Partial<CanonicalRequest> = {}): CanonicalRequest {
  return { model: 'm', stream: false, turns: [], tools: [], native: [], ...given }
}

/** What the writer of an answer knows, for a client with this body. */
export function context(body: JsonObject = {}): EncodeContext {
  return {
    requestId: 'req1',
    request: request(),
    model: 'client-model',
    createdAt: 1_700_000_000,
    estimatedInputTokens: 77,
    body,
    framing: 'sse',
    library: '',
  }
}

/** A client that wants to know the usage of a stream. */
export const wantsUsage = context({ stream_options: { include_usage: true } })

export const options = (...quirks: Quirk[]): EncodeOptions => ({
  model: 'upstream-model',
  quirks: new Set(quirks),
  defaultMaxOutputTokens: 1_000,
})

/** Decodes a body whose messages, or other fields, are given. */
export function decode(body: JsonObject): CanonicalRequest {
  const whole = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...body }
  return chatCodec.decodeRequest(whole, { model: 'path', stream: false })
}

/** The messages that a conversation is written as. */
export function messagesOf(
  given: Partial<CanonicalRequest>,
  ...quirks: Quirk[]
): readonly unknown[] {
  const { messages } = chatCodec.encodeRequest(request(given), options(...quirks))
  return Array.isArray(messages) ? messages : []
}

/** Decodes the chunks of a stream, given as objects or as the data of frames. */
export function decodeChunks(chunks: readonly unknown[], ends = true): readonly AnswerEvent[] {
  const decoder = chatCodec.createDecoder(context())
  const events = chunks.flatMap((chunk) =>
    decoder.push(typeof chunk === 'string' ? chunk : JSON.stringify(chunk), ''),
  )
  return ends ? [...events, ...decoder.end()] : events
}

/** Decodes a stream that comes in these pieces. */
export function decodeStream(pieces: Iterable<Uint8Array>): readonly AnswerEvent[] {
  const { frames } = split(createSseSplitter(), pieces)
  return decodeChunks(frames.map(({ data }) => data))
}

/** Writes events for a client. */
export function write(events: readonly AnswerEvent[], to = wantsUsage): string {
  const encoder = chatCodec.createEncoder(to)
  return events.map((event) => encoder.push(event)).join('')
}

export const bytes = (text: string) => new TextEncoder().encode(text)

/** A chunk with one choice. */
export const chunk = (delta: unknown, more: JsonObject = {}) => ({
  id: 'chatcmpl-1',
  created: 5,
  model: 'up',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})

/** The pieces of one call in a chunk of its own. */
export const calls = (...entries: unknown[]) => chunk({ tool_calls: entries })

/** A chunk that ends the answer. */
export const ending = (reason: unknown) => chunk({}, { finish_reason: reason })

const paths = new Set(['at', 'places', 'others'])

/** A value without paths and without what is undefined. */
export function bare(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (paths.has(key) ? undefined : member)),
  )
}

/**
 * An answer as a client of chat can see it: chat has one text, one reasoning and one refusal per
 * choice, and the signatures beside them.
 */
export function visible(response: CanonicalResponse) {
  const choices = response.choices.map(({ index, parts, finish }) => {
    const texts = (type: 'text' | 'reasoning' | 'refusal') =>
      parts.flatMap((part) => (part.type === type && part.text !== '' ? [part.text] : []))
    const ofText = parts.filter((part) => part.type === 'text')
    return {
      index,
      text: texts('text').join(''),
      // What separates two stretches may be part of the second.
      reasoning: texts('reasoning')
        .map((text) => text.trim())
        .join('\n\n'),
      refusal: texts('refusal').join(''),
      signatures: parts.flatMap((part) =>
        part.type === 'reasoning' && part.signature ? [part.signature] : [],
      ),
      calls: parts.filter((part) => part.type === 'tool-call'),
      images: parts.filter((part) => part.type === 'image'),
      cited: ofText.flatMap(({ citations }) => citations ?? []),
      tokens: ofText.flatMap(({ logprobs }) => logprobs ?? []),
      reason: finish.reason,
    }
  })
  const { usage, createdAt } = response
  return bare({ choices, usage, createdAt })
}

export const folded = (events: readonly AnswerEvent[]) => foldEvents(events)

/** A chunk with text. */
export const textChunk = (content: unknown) => chunk({ content })
/** A piece of a call. */
export const piece = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args?: unknown,
) => ({
  index,
  id,
  function: { name, arguments: args },
})

/** The parts and the end of the first choice of a stream. */
export function answer(...chunks: unknown[]) {
  const events = decodeChunks([...chunks, '[DONE]'])
  checkEvents(events, true)
  const [first] = folded(events).choices
  return bare([first?.parts, first?.finish.reason])
}
/** Parts of an answer. */
export const said = (value: string) => ({ type: 'text', text: value })
export const thought = (value: string, more: JsonObject = {}) => ({
  type: 'reasoning',
  text: value,
  ...more,
})
export const called = (callId: string, name: string, input: string, kind = 'function') => ({
  type: 'tool-call',
  callId,
  name,
  kind,
  input,
})
