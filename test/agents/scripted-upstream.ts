import type { AnswerEvent } from '../../src/protocols/canonical/answer.ts'
import type { EncodeContext } from '../../src/protocols/canonical/codec.ts'
import { foldEvents } from '../../src/protocols/canonical/fold.ts'
import type { CanonicalRequest, Part } from '../../src/protocols/canonical/request.ts'
import { emptyUsage, type Usage } from '../../src/protocols/canonical/usage.ts'
import { isJsonObject } from '../../src/protocols/json.ts'
import type { JsonObject, Protocol, ProtocolName } from '../../src/protocols/protocol.ts'
import { type SeenRequest, startFakeUpstream } from '../support/fake-upstream.ts'
import { promptTokens } from '../support/prompt-size.ts'

/** What the upstream answers next: text, or a call of one of the tools that were offered. */
export type Step = (
  | { readonly text: string }
  | { readonly tool: string; readonly input: string; readonly words?: string }
) &
  Manner

/** How it answers, where that is not at once and well. */
export interface Manner {
  /** Says nothing for so long: before its first byte, or in the middle of its text or call. */
  readonly silence?: { readonly ms: number; readonly at: 'start' | 'middle' }
  /** Refuses with a status, or breaks off its stream in the middle, with these words. */
  readonly fault?: { readonly message: string; readonly at: 'start' | 'middle' }
  /** Does not reason. */
  readonly isPlain?: boolean
}

/** Decides by what the request holds. */
export type Script = (request: CanonicalRequest, callsSoFar: number) => Step

/** What was seen of an agent's requests. */
export interface Seen {
  requests: number
  /** What each answer was said to have used. */
  readonly usages: Usage[]
  /** Reasoning that came back as it was signed here, and such that did not. */
  signed: number
  unsigned: number
  /** What the upstream's own reader did not know. */
  readonly native: Set<string>
}

const signature = (turn: number) => Buffer.from(`signature of turn ${turn}`).toString('base64')

/** How the input of a request counts; throws what the vendor refuses. */
export type InputMeter = (body: JsonObject, asked: CanonicalRequest) => Usage

/**
 * An upstream of one protocol that reasons, signs its reasoning, and does what a script says. Without
 * a meter every request counts the same.
 */
export function startScriptedUpstream(protocol: Protocol, script: Script, meter?: InputMeter) {
  const seen: Seen = { requests: 0, usages: [], signed: 0, unsigned: 0, native: new Set() }

  async function answer(request: SeenRequest): Promise<Response> {
    const path = request.path
    if (!/completions|responses$|messages$|messages\?|[gG]enerateContent/.test(path)) {
      return Response.json({ error: { message: `no ${path} here` } }, { status: 404 })
    }
    const body = request.json()
    if (!isJsonObject(body))
      return Response.json({ error: { message: 'no body' } }, { status: 400 })
    const stream = body.stream === true || path.includes('streamGenerateContent')
    const named = /models\/([^:]+):/.exec(path)?.[1]
    const model = typeof body.model === 'string' ? body.model : (named ?? 'scripted')
    const asked = protocol.codec.decodeRequest(body, { model, stream })
    seen.requests++
    for (const { feature, at } of asked.native) seen.native.add(`${feature} ${at}`)
    const parts = asked.turns
      .filter(({ role }) => role === 'assistant')
      .flatMap((turn) => turn.parts)
    noteReasoning(parts)
    const calls = parts.filter(({ type }) => type === 'tool-call').length
    const step = script(asked, calls)
    if (step.silence?.at === 'start') await Bun.sleep(step.silence.ms)
    if (step.fault?.at === 'start') return refusal(protocol, step.fault.message)
    let input: Usage | undefined
    try {
      input = meter?.(body, asked)
    } catch (error) {
      return refusal(protocol, error instanceof Error ? error.message : String(error))
    }
    const usage = usageOf(step, input)
    seen.usages.push(usage)
    const events = eventsOf(step, calls, usage)
    const context: EncodeContext = {
      requestId: `up_${seen.requests}`,
      request: asked,
      model,
      createdAt: Math.floor(Date.now() / 1000),
      estimatedInputTokens: 1,
      body,
      framing: 'sse',
      library: '',
    }
    if (!stream) return Response.json(protocol.codec.encodeResponse(foldEvents(events), context))
    const encoder = protocol.codec.createEncoder(context)
    const pieces = events.map((event) => encoder.push(event))
    const breakOff = (message: string) => brokenOff[protocol.name](message, context.requestId)
    return new Response(spoken(step, events, pieces, breakOff), {
      headers: { 'content-type': 'text/event-stream' },
    })
  }

  function noteReasoning(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.type !== 'reasoning') continue
      if (/^c2ln/.test(part.signature ?? '')) seen.signed++
      else seen.unsigned++
    }
  }

  return { ...startFakeUpstream(answer), seen }
}

/** The pieces of a stream, with what happens in the middle of it: after the first words of its last block. */
async function* spoken(
  { silence, fault }: Step,
  events: readonly AnswerEvent[],
  pieces: readonly string[],
  breakOff: (message: string) => string,
) {
  const begun = events.findLastIndex(({ type }) => /^(text|tool-call)-start$/.test(type)) + 2
  yield pieces.slice(0, begun).join('')
  if (silence?.at === 'middle') await Bun.sleep(silence.ms)
  yield fault?.at === 'middle' ? breakOff(fault.message) : pieces.slice(begun).join('')
}

function refusal({ name }: Protocol, message: string): Response {
  const error = {
    messages: { type: 'invalid_request_error', message },
    gemini: { code: 400, message, status: 'INVALID_ARGUMENT' },
    chat: { message, type: 'invalid_request_error', param: null, code: null },
    responses: { message, type: 'invalid_request_error', param: null, code: null },
  }[name]
  return Response.json({ ...(name === 'messages' && { type: 'error' }), error }, { status: 400 })
}

const frame = (event: string, data: object) =>
  `${event && `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

/** How each vendor breaks off a stream. Sources: their API references, of errors in streams. */
const brokenOff: Readonly<Record<ProtocolName, (message: string, requestId: string) => string>> = {
  chat: (message) =>
    frame('', { error: { message, type: 'server_error', param: null, code: null } }),
  responses: (message, requestId) =>
    frame('error', {
      ...{ type: 'error', code: 'server_error', message, param: null, sequence_number: 90 },
    }) +
    frame('response.failed', {
      ...{ type: 'response.failed', sequence_number: 91 },
      response: {
        ...{ id: `resp_${requestId}`, object: 'response', created_at: 1, model: 'scripted' },
        ...{ status: 'failed', output: [], error: { code: 'server_error', message } },
      },
    }),
  messages: (message) => frame('error', { type: 'error', error: { type: 'api_error', message } }),
  gemini: (message) => frame('', { error: { code: 500, message, status: 'INTERNAL' } }),
}

/** Without an input that was counted, always the same. */
function usageOf(step: Step, input?: Usage): Usage {
  const alike = { ...emptyUsage, inputTokens: 50, outputTokens: 20, reasoningTokens: 5 }
  if (input === undefined) return alike
  const said = promptTokens('text' in step ? step.text : step.input)
  return { ...input, outputTokens: said + 5, reasoningTokens: 5 }
}

function eventsOf(step: Step, turn: number, usage: Usage): readonly AnswerEvent[] {
  const callId = `call_scripted${turn}`
  const start: AnswerEvent = { type: 'start', model: 'scripted', usage }
  const reasoning: readonly AnswerEvent[] = [
    { type: 'reasoning-start', id: 'r', choice: 0 },
    { type: 'reasoning-delta', id: 'r', text: `Thinking about step ${turn}.` },
    { type: 'reasoning-end', id: 'r', signature: signature(turn), itemId: `rs_${turn}` },
  ]
  const said = 'text' in step ? textOf('t', step.text) : callOf(step, callId)
  const reason = 'text' in step ? 'stop' : 'tool-calls'
  return [
    start,
    ...(step.isPlain ? [] : reasoning),
    ...said,
    { type: 'finish', choice: 0, reason },
    { type: 'end', usage },
  ]
}

function textOf(id: string, text: string): readonly AnswerEvent[] {
  const half = Math.ceil(text.length / 2)
  return [
    { type: 'text-start', id, choice: 0 },
    { type: 'text-delta', id, text: text.slice(0, half) },
    { type: 'text-delta', id, text: text.slice(half) },
    { type: 'text-end', id },
  ]
}

function callOf(
  { tool: name, input, words }: { tool: string; input: string; words?: string },
  callId: string,
): readonly AnswerEvent[] {
  return [
    ...(words ? textOf('w', words) : []),
    { type: 'tool-call-start', id: 'c', choice: 0, callId, name, kind: 'function' },
    { type: 'tool-call-delta', id: 'c', text: input.slice(0, 5) },
    { type: 'tool-call-delta', id: 'c', text: input.slice(5) },
    { type: 'tool-call-end', id: 'c' },
  ]
}
