import type { AnswerEvent, CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import type { EncodeContext } from '../../../src/protocols/canonical/codec.ts'
import type { CanonicalRequest, Tool } from '../../../src/protocols/canonical/request.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import {
  type Framing,
  type JsonObject,
  type ProtocolError,
  type ProtocolName,
  protocolNames,
} from '../../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../../src/protocols/sse.ts'
import { recordings } from '../../support/recordings.ts'
import { split } from '../feeding.ts'
import { protocols, recordedRequests } from './pairs.ts'

/** One recorded answer with status 200: whole, or as the text of a stream. */
export interface RecordedAnswer {
  readonly id: string
  readonly upstream: ProtocolName
  /** What was asked, where it was recorded. */
  readonly request: CanonicalRequest
  readonly body: JsonObject | undefined
  readonly sse: string | undefined
}

const nothing: CanonicalRequest = { model: '', stream: false, turns: [], tools: [], native: [] }
const asked = new Map(recordedRequests.map(({ id, decoded }) => [id, decoded]))

/** The same with the custom tools that an answer calls: they must have been in it. */
export function withCustomTools(
  request: CanonicalRequest,
  { choices }: CanonicalResponse,
): CanonicalRequest {
  const tools = choices.flatMap(({ parts }) =>
    parts.flatMap((part): readonly Tool[] =>
      part.type === 'tool-call' && part.kind === 'custom'
        ? [{ kind: 'custom', name: part.name }]
        : [],
    ),
  )
  return { ...request, tools: [...request.tools, ...tools] }
}

/** All of them that answer a request for one, or whose request was not recorded. */
export const recordedAnswers: readonly RecordedAnswer[] = recordings.flatMap((recording) => {
  const { id, status, body, sse, path } = recording
  const upstream = protocolNames.find((name) => name === recording.protocol)
  const isAnswer = path === undefined || asked.has(id)
  if (upstream === undefined || status !== 200 || !isAnswer) return []
  const request = asked.get(id) ?? nothing
  return [{ id, upstream, request, body: isJsonObject(body) ? body : undefined, sse }]
})

/** What the writer of an answer for a client is told. */
export function contextFor(request: CanonicalRequest, framing: Framing = 'sse'): EncodeContext {
  return {
    requestId: 'req1',
    request,
    model: 'asked-for',
    createdAt: 1_700_000_000,
    // Not more than any answer's: of two reports of the input the larger counts.
    estimatedInputTokens: 0,
    body: { stream_options: { include_usage: true } },
    framing,
    library: '',
  }
}

/** Frames of a stream, whose bytes come in these pieces. */
export type Frames = readonly { readonly event: string; readonly data: string }[]
export const framesOf = (pieces: Iterable<Uint8Array>): Frames =>
  split(createSseSplitter(), pieces).frames

/** Frames of a stream's text; gemini's may be an array. */
export function framesIn(text: string, framing: Framing = 'sse'): Frames {
  if (framing === 'sse') return framesOf([new TextEncoder().encode(text)])
  const list: readonly unknown[] = JSON.parse(text)
  return list.map((chunk) => ({ event: '', data: JSON.stringify(chunk) }))
}

/** What a protocol reads from a stream. */
export function readStream(
  protocol: ProtocolName,
  frames: Frames,
  context: EncodeContext,
): readonly AnswerEvent[] {
  const decoder = protocols[protocol].codec.createDecoder(context)
  const events = frames.flatMap(({ data, event }) => decoder.push(data, event))
  return [...events, ...decoder.end()]
}

/** How the gateway ends what has no end. */
const brokenOff: ProtocolError = {
  status: 502,
  code: 'upstream_error',
  message: 'The upstream ended its answer too early.',
  param: undefined,
  requestId: 'req1',
}

/** The text that a client gets for these events; an error in them ends it. */
export function writeStream(
  client: ProtocolName,
  events: readonly AnswerEvent[],
  context: EncodeContext,
): string {
  const encoder = protocols[client].codec.createEncoder(context)
  let text = ''
  for (const event of events) {
    if (event.type !== 'error') text += encoder.push(event)
    else text += encoder.fail({ ...brokenOff, message: event.error.message })
  }
  return isWhole(events) ? text : text + encoder.fail(brokenOff)
}

/** Whether a stream came to its regular end. */
export const isWhole = (events: readonly AnswerEvent[]): boolean => events.at(-1)?.type === 'end'
