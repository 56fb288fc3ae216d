import type {
  AnswerEvent,
  CanonicalResponse,
  Choice,
  Finish,
  FinishReason,
} from '../canonical/answer.ts'
import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import type { SearchPart, TokenLogprob, ToolCallPart } from '../canonical/request.ts'
import { emptyUsage, type Usage } from '../canonical/usage.ts'
import type { JsonObject } from '../protocol.ts'
import { type CitedText, encodeGrounding, encodeLogprobs } from './citations.ts'
import { encodeMedia } from './decode-parts.ts'
import { encodeArguments } from './encode-request.ts'
import { encodeGeminiStreamError, statusWord } from './errors.ts'
import { wrapSignatures } from './thinking.ts'
import { encodeUsage } from './usage.ts'

/** A whole answer. Signatures are put where clients of this protocol send them back. */
export function encodeAnswer(response: CanonicalResponse, context: EncodeContext): JsonObject {
  const { choices, usage, error } = response
  if (error !== undefined && choices.length === 0) {
    const { message, status = 502 } = error
    return { error: { code: status, message, status: statusWord(status) } }
  }
  return {
    candidates: choices.map(encodeChoice),
    usageMetadata: reportUsage(usage, context),
    modelVersion: context.model,
    responseId: response.id ?? context.requestId,
  }
}

/** The usage of a whole answer. Without one from the upstream, the input is the estimate. */
export function reportUsage(usage: Usage | undefined, context: EncodeContext): JsonObject {
  return encodeUsage(usage ?? { ...emptyUsage, inputTokens: context.estimatedInputTokens })
}

function encodeChoice({ index, parts, finish }: Choice): JsonObject {
  const state = createAnswerState()
  const encoded: JsonObject[] = []
  const logprobs: TokenLogprob[] = []
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        if (part.citations) state.cited.push({ text: part.text, citations: part.citations })
        for (const token of part.logprobs ?? []) logprobs.push(token)
        if (part.text !== '') encoded.push({ text: part.text })
        break
      case 'refusal':
        if (part.text !== '') encoded.push({ text: part.text })
        break
      case 'reasoning':
        if (part.text !== '') encoded.push({ text: part.text, thought: true })
        if (part.signature !== undefined) state.signatures.push(part.signature)
        break
      case 'tool-call':
        encoded.push(encodeCallPart(part, state))
        break
      case 'search':
        state.searches.push(part)
        break
      case 'image':
        encoded.push(encodeMedia(part))
    }
  }
  return {
    content: { parts: signLast(encoded, state), role: 'model' },
    finishReason: finishWords[finish.reason],
    index,
    ...encodeGrounding(state.cited, state.searches),
    ...encodeLogprobs(logprobs),
  }
}

/** The vendor's words for the end of an answer. */
const finishWords: { readonly [reason in FinishReason]: string } = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  filter: 'SAFETY',
  refusal: 'SAFETY',
  failed: 'MALFORMED_RESPONSE',
  pause: 'OTHER',
  other: 'OTHER',
}

/** What of one answer waits for its place: signatures for the next call, and sources for the last chunk. */
interface AnswerState {
  readonly signatures: string[]
  readonly cited: CitedText[]
  readonly searches: SearchPart[]
}

function createAnswerState(): AnswerState {
  return { signatures: [], cited: [], searches: [] }
}

function takeSignatures({ signatures }: AnswerState): JsonObject {
  return signatures.length === 0 ? {} : { thoughtSignature: wrapSignatures(signatures.splice(0)) }
}

/** The last parts with the signatures that still wait: on a text, or in an empty one of their own. */
function signLast(parts: readonly JsonObject[], state: AnswerState): readonly JsonObject[] {
  const last = parts.at(-1)
  if (state.signatures.length === 0 && parts.length > 0) return parts
  const canSign = typeof last?.text === 'string' && last.thought !== true
  if (!canSign) return [...parts, { text: '', ...takeSignatures(state) }]
  return [...parts.slice(0, -1), { ...last, ...takeSignatures(state) }]
}

function encodeCallPart(
  { callId: id, name, kind, input }: Pick<ToolCallPart, 'callId' | 'name' | 'kind' | 'input'>,
  state: AnswerState,
): JsonObject {
  return {
    functionCall: { id, name, args: encodeArguments(kind, input) },
    ...takeSignatures(state),
  }
}

type EventOf<T extends AnswerEvent['type']> = Extract<AnswerEvent, { readonly type: T }>
type CallStart = EventOf<'tool-call-start'>

interface OpenBlock {
  readonly choice: number
  readonly isThought: boolean
  /** The whole text of a text block, for the places of its sources. */
  text: string
}

/**
 * Writes a stream: a chunk for each piece of text, calls whole, and what only the end tells with the last part.
 */
export function createEncoder(context: EncodeContext): StreamEncoder {
  const { framing, library, requestId } = context
  const states = new Map<number, AnswerState>()
  const blocks = new Map<string, OpenBlock>()
  const finishes = new Map<number, Finish>()
  const calls = createCallQueue()
  const last = createLastParts()
  let isFirst = true
  let isOver = false
  let usage = ''
  let tail = tailOf(requestId)

  function tailOf(id: string): string {
    return `,"modelVersion":${JSON.stringify(context.model)},"responseId":${JSON.stringify(id)}}`
  }

  function frame(candidates: string): string {
    const json = `{"candidates":[${candidates}]${usage}${tail}`
    if (framing === 'sse') return `data: ${json}\r\n\r\n`
    const before = isFirst ? '[' : ',\r\n'
    isFirst = false
    return before + json
  }

  function chunk(choice: number, { part, more }: PendingPart): string {
    const content = { parts: [part], role: 'model' }
    return frame(JSON.stringify({ content, index: choice, ...more }))
  }

  /** A part in its order; the last one of all waits for the end. */
  function put(choice: number, part: JsonObject, more: JsonObject = {}): string {
    let written = ''
    for (const ready of last.add(choice, { part, more })) written += chunk(choice, ready)
    return written
  }

  function release(choice: number): string {
    const pending = last.take(choice)
    return pending === undefined ? '' : chunk(choice, pending)
  }

  const stateOf = (choice: number) => states.getOrInsertComputed(choice, createAnswerState)

  function writeDelta(event: EventOf<'text-delta' | 'reasoning-delta' | 'refusal-delta'>): string {
    const block = blocks.get(event.id)
    if (block === undefined || event.text === '') return ''
    const { text } = event
    const { choice } = block
    if (block.isThought) {
      return release(choice) + chunk(choice, { part: { text, thought: true }, more: {} })
    }
    block.text += text
    const logprobs = event.type === 'text-delta' ? encodeLogprobs(event.logprobs) : {}
    return put(choice, { text }, logprobs)
  }

  /** Keeps what a block's end brings until its place comes. */
  function endBlock(
    event: EventOf<'text-end' | 'reasoning-end' | 'refusal-end' | 'search-end'>,
  ): void {
    const block = blocks.get(event.id)
    if (block === undefined) return
    blocks.delete(event.id)
    const state = stateOf(block.choice)
    if (event.type === 'text-end' && event.citations) {
      state.cited.push({ text: block.text, citations: event.citations })
    } else if (event.type === 'reasoning-end' && event.signature !== undefined) {
      state.signatures.push(event.signature)
    } else if (event.type === 'search-end') state.searches.push(event.search)
  }

  function writeCalls(): string {
    let written = ''
    for (const call of calls.takeEnded()) {
      written += put(call.choice, encodeCallPart(call, stateOf(call.choice)))
    }
    return written
  }

  function writeEnd(event: EventOf<'end'>): string {
    isOver = true
    if (event.usage || usage === '') usage = usageField(reportUsage(event.usage, context))
    const candidates = [...finishes].map(([choice, { reason }]) => {
      const state = stateOf(choice)
      const { part, more } = last.take(choice) ?? { part: undefined, more: {} }
      const parts = signLast(part === undefined ? [] : [part], state)
      const finishReason = finishWords[reason]
      return JSON.stringify({
        ...{ content: { parts, role: 'model' }, finishReason, index: choice, ...more },
        ...encodeGrounding(state.cited, state.searches),
      })
    })
    return frame(candidates.join(',')) + (framing === 'sse' ? '' : ']')
  }

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'start':
        if (event.usage) usage = usageField(encodeUsage(event.usage))
        tail = tailOf(event.id ?? requestId)
        return ''
      case 'text-start':
      case 'reasoning-start':
      case 'refusal-start':
      case 'search-start': {
        const isThought = event.type === 'reasoning-start'
        blocks.set(event.id, { choice: event.choice, isThought, text: '' })
        return ''
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'refusal-delta':
        return writeDelta(event)
      case 'text-end':
      case 'reasoning-end':
      case 'refusal-end':
      case 'search-end':
        endBlock(event)
        return ''
      case 'tool-call-start':
        calls.start(event)
        return release(event.choice)
      case 'tool-call-delta':
        calls.add(event.id, event.text)
        return ''
      case 'tool-call-end':
        calls.end(event.id)
        return writeCalls()
      case 'image':
        return put(event.choice, encodeMedia(event.image))
      case 'finish':
        finishes.set(event.choice, event)
        return ''
      case 'end':
        return writeEnd(event)
      case 'error':
        return fail(event.error.status ?? 502, event.error.message)
    }
  }

  function fail(status: number, message: string): string {
    isOver = true
    const rest = last.takeAll().map(([choice, pending]) => chunk(choice, pending))
    const error = { status, code: 'upstream_error', message, param: undefined, requestId }
    return rest.join('') + encodeGeminiStreamError(error, { framing, library }, isFirst)
  }

  return {
    push: (event) => (isOver ? '' : write(event)),
    fail: ({ status, message }) => (isOver ? '' : fail(status, message)),
  }
}

const usageField = (report: JsonObject) => `,"usageMetadata":${JSON.stringify(report)}`

interface WaitingCall extends Pick<CallStart, 'choice' | 'callId' | 'name' | 'kind'> {
  input: string
  hasEnded: boolean
}

/** Calls that are on their way, several at once: they come out whole, in the order they began. */
function createCallQueue() {
  const waiting = new Map<string, WaitingCall>()
  return {
    start({ id, choice, callId, name, kind }: CallStart) {
      waiting.set(id, { choice, callId, name, kind, input: '', hasEnded: false })
    },
    add(id: string, text: string) {
      const call = waiting.get(id)
      if (call) call.input += text
    },
    end(id: string) {
      const call = waiting.get(id)
      if (call) call.hasEnded = true
    },
    /** Those that have ended, and that no earlier one of the same choice holds up. */
    takeEnded(): readonly WaitingCall[] {
      const ended: WaitingCall[] = []
      const held = new Set<number>()
      for (const [id, call] of waiting) {
        if (held.has(call.choice)) continue
        if (call.hasEnded) {
          waiting.delete(id)
          ended.push(call)
        } else held.add(call.choice)
      }
      return ended
    },
  }
}

interface PendingPart {
  readonly part: JsonObject
  readonly more: JsonObject
}

/**
 * Keeps the last part of each answer back (of a text its last character), to stand in the chunk with the finish
 * reason: some SDKs take an answer whose last chunk has no part, or an empty text, for a broken one.
 */
function createLastParts() {
  const held = new Map<number, PendingPart>()

  return {
    add(choice: number, next: PendingPart): readonly PendingPart[] {
      const before = held.get(choice)
      const joint = before && join(before, next)
      const [ready, last] = split(joint ?? next)
      held.set(choice, last)
      return [...(before && !joint ? [before] : []), ...(ready ? [ready] : [])]
    },
    take(choice: number): PendingPart | undefined {
      const last = held.get(choice)
      held.delete(choice)
      return last
    },
    takeAll(): readonly (readonly [choice: number, pending: PendingPart])[] {
      const all = [...held]
      held.clear()
      return all
    },
  }
}

function join({ part: a, more }: PendingPart, { part: b, more: extra }: PendingPart) {
  const areText = typeof a.text === 'string' && typeof b.text === 'string'
  const isBare = Object.keys(more).length === 0 && a.thoughtSignature === undefined
  return areText && isBare ? { part: { ...b, text: `${a.text}${b.text}` }, more: extra } : undefined
}

function split(pending: PendingPart): readonly [PendingPart | undefined, PendingPart] {
  const { part, more } = pending
  const { text } = part
  if (typeof text !== 'string') return [undefined, pending]
  const length = isLowSurrogate(text.charCodeAt(text.length - 1)) ? 2 : 1
  if (text.length <= length) return [undefined, pending]
  const ready = { part: { ...part, text: text.slice(0, -length) }, more }
  return [ready, { part: { ...part, text: text.slice(-length) }, more: {} }]
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff
