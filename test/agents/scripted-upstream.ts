import type { EncodeContext } from '../../src/protocols/canonical/codec.ts'
import type { AnswerEvent } from '../../src/protocols/canonical/event.ts'
import { foldEvents } from '../../src/protocols/canonical/fold.ts'
import type { CanonicalRequest, Part } from '../../src/protocols/canonical/request.ts'
import { isJsonObject } from '../../src/protocols/json.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { type SeenRequest, startFakeUpstream } from '../support/fake-upstream.ts'

/** What the upstream answers next: text, or a call of one of the tools that were offered. */
export type Step = { readonly text: string } | { readonly tool: string; readonly input: string }

/** Decides by what the request holds. */
export type Script = (request: CanonicalRequest, callsSoFar: number) => Step

/** What was seen of an agent's requests. */
export interface Seen {
  requests: number
  /** Reasoning that came back as it was signed here, and such that did not. */
  signed: number
  unsigned: number
  /** What the upstream's own reader did not know. */
  readonly native: Set<string>
}

const signature = (turn: number) => Buffer.from(`signature of turn ${turn}`).toString('base64')

/** An upstream of one protocol that reasons, signs its reasoning, and does what a script says. */
export function startScriptedUpstream(protocol: Protocol, script: Script) {
  const seen: Seen = { requests: 0, signed: 0, unsigned: 0, native: new Set() }

  function answer(request: SeenRequest): Response {
    const path = request.path
    if (!/completions|responses$|messages$|messages\?|[gG]enerateContent/.test(path)) {
      return Response.json({ error: { message: `no ${path} here` } }, { status: 404 })
    }
    const body = request.json()
    if (!isJsonObject(body))
      return Response.json({ error: { message: 'no body' } }, { status: 400 })
    const stream = body.stream === true || path.includes('streamGenerateContent')
    const asked = protocol.codec.decodeRequest(body, { model: 'scripted', stream })
    seen.requests++
    for (const { feature, at } of asked.native) seen.native.add(`${feature} ${at}`)
    const parts = asked.turns
      .filter(({ role }) => role === 'assistant')
      .flatMap((turn) => turn.parts)
    noteReasoning(parts)
    const calls = parts.filter(({ type }) => type === 'tool-call').length
    const events = eventsOf(script(asked, calls), calls)
    const context: EncodeContext = {
      requestId: `up_${seen.requests}`,
      request: asked,
      model: 'scripted',
      createdAt: Math.floor(Date.now() / 1000),
      estimatedInputTokens: 1,
      body,
      framing: 'sse',
      library: '',
    }
    if (!stream) return Response.json(protocol.codec.encodeResponse(foldEvents(events), context))
    const encoder = protocol.codec.createEncoder(context)
    const text = events.map((event) => encoder.push(event)).join('')
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
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

function eventsOf(step: Step, turn: number): readonly AnswerEvent[] {
  const usage = {
    inputTokens: 50,
    outputTokens: 20,
    reasoningTokens: 5,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
  }
  const callId = `call_scripted${turn}`
  const reasoning: readonly AnswerEvent[] = [
    { type: 'start', model: 'scripted', usage },
    { type: 'reasoning-start', id: 'r', choice: 0 },
    { type: 'reasoning-delta', id: 'r', text: `Thinking about step ${turn}.` },
    { type: 'reasoning-end', id: 'r', signature: signature(turn), itemId: `rs_${turn}` },
  ]
  const said: readonly AnswerEvent[] =
    'text' in step
      ? [
          { type: 'text-start', id: 't', choice: 0 },
          { type: 'text-delta', id: 't', text: step.text },
          { type: 'text-end', id: 't' },
          { type: 'finish', choice: 0, reason: 'stop' },
        ]
      : [
          {
            type: 'tool-call-start',
            id: 'c',
            choice: 0,
            callId,
            name: step.tool,
            kind: 'function',
          },
          { type: 'tool-call-delta', id: 'c', text: step.input.slice(0, 5) },
          { type: 'tool-call-delta', id: 'c', text: step.input.slice(5) },
          { type: 'tool-call-end', id: 'c' },
          { type: 'finish', choice: 0, reason: 'tool-calls' },
        ]
  return [...reasoning, ...said, { type: 'end', usage }]
}
