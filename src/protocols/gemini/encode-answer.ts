import type {
  AnswerEvent,
  CanonicalResponse,
  Choice,
  Finish,
  FinishReason,
} from '../canonical/answer.ts'
import { type BlockEvent, type BlockOrder, createBlockOrder } from '../canonical/block-order.ts'
import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import type { SearchPart, TokenLogprob, ToolCallPart } from '../canonical/request.ts'
import { reportedUsage, type Usage } from '../canonical/usage.ts'
import type { JsonObject } from '../protocol.ts'
import { type CitedText, encodeGrounding, encodeLogprobs } from './citations.ts'
import { encodeMedia } from './decode-parts.ts'
import { encodeArguments } from './encode-request.ts'
import { encodeGeminiStreamError, statusWord } from './errors.ts'
import { wrapSignatures } from './thinking.ts'
import { encodeUsage } from './usage.ts'

/** A whole answer. Signatures are put where clients of this protocol send them back. */
export function encodeResponse(response: CanonicalResponse, context: EncodeContext): JsonObject {
  const { choices, usage, error } = response
  if (error !== undefined && choices.length === 0) {
    const { message, status = 502 } = error
    return { error: { code: status, message, status: statusWord(status) } }
  }
  return {
    candidates: choices.map(encodeChoice),
    usageMetadata: encodeUsage(reportedUsage(usage, context)),
    modelVersion: context.model,
    responseId: response.id ?? context.requestId,
  }
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

/** Buffers of one candidate: signatures for the next call, and sources for the last chunk. */
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

/** The last parts with the remaining signatures: on a text, or on an empty one. */
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

interface OpenBlock {
  readonly choice: number
  readonly isThought: boolean
  text: string
}

interface StreamedAnswer extends AnswerState {
  /** Calls may overlap; they are written whole, in the order they began. */
  readonly calls: BlockOrder
  call: { readonly start: EventOf<'tool-call-start'>; input: string } | undefined
  /**
   * The last part (of a text its last character), held for the chunk with the finish reason: some SDKs reject a
   * last chunk without a part, or with an empty text.
   */
  held: JsonObject | undefined
  more: string
}

/** Encodes a stream: a chunk per piece of text, whole calls, and the final fields with the last part. */
export function createEncoder(context: EncodeContext): StreamEncoder {
  const { framing, library, requestId } = context
  const answers = new Map<number, StreamedAnswer>()
  const blocks = new Map<string, OpenBlock>()
  const finishes = new Map<number, Finish>()
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

  const chunk = (choice: number, part: string, more: string): string =>
    frame(`{"content":{"parts":[${part}],"role":"model"},"index":${choice}${more}}`)

  function answerOf(choice: number): StreamedAnswer {
    const known = answers.get(choice)
    if (known !== undefined) return known
    const calls = createBlockOrder((event) => writeCall(choice, event))
    const answer = { ...createAnswerState(), calls, call: undefined, held: undefined, more: '' }
    answers.set(choice, answer)
    return answer
  }

  function release(choice: number, answer: StreamedAnswer): string {
    const { held, more } = answer
    if (held === undefined) return ''
    answer.held = undefined
    answer.more = ''
    return chunk(choice, JSON.stringify(held), more)
  }

  function putPart(choice: number, part: JsonObject): string {
    const answer = answerOf(choice)
    const before = release(choice, answer)
    answer.held = part
    return before
  }

  function putText(choice: number, text: string, more: string): string {
    const answer = answerOf(choice)
    const begun = answer.more === '' ? answer.held?.text : undefined
    const before = typeof begun === 'string' ? '' : release(choice, answer)
    const whole = typeof begun === 'string' ? begun + text : text
    const kept = isLowSurrogate(whole.charCodeAt(whole.length - 1)) ? 2 : 1
    answer.held = { text: whole.slice(-kept) }
    answer.more = whole.length <= kept ? more : ''
    if (whole.length <= kept) return before
    return before + chunk(choice, `{"text":${JSON.stringify(whole.slice(0, -kept))}}`, more)
  }

  function writeDelta(event: EventOf<'text-delta' | 'reasoning-delta' | 'refusal-delta'>): string {
    const block = blocks.get(event.id)
    const { text } = event
    if (block === undefined || text === '') return ''
    const { choice } = block
    if (block.isThought) {
      const thought = `{"text":${JSON.stringify(text)},"thought":true}`
      return release(choice, answerOf(choice)) + chunk(choice, thought, '')
    }
    block.text += text
    const hasTokens = event.type === 'text-delta' && event.logprobs !== undefined
    return putText(choice, text, hasTokens ? members(encodeLogprobs(event.logprobs)) : '')
  }

  function endBlock(
    event: EventOf<'text-end' | 'reasoning-end' | 'refusal-end' | 'search-end'>,
  ): void {
    const block = blocks.get(event.id)
    if (block === undefined) return
    blocks.delete(event.id)
    const { cited, signatures, searches } = answerOf(block.choice)
    if (event.type === 'text-end' && event.citations) {
      cited.push({ text: block.text, citations: event.citations })
    } else if (event.type === 'reasoning-end' && event.signature !== undefined) {
      signatures.push(event.signature)
    } else if (event.type === 'search-end') searches.push(event.search)
  }

  function writeCall(choice: number, event: BlockEvent): string {
    const answer = answerOf(choice)
    if (event.type === 'tool-call-start') answer.call = { start: event, input: '' }
    const { call } = answer
    if (event.type === 'tool-call-delta' && call) call.input += event.text
    if (event.type !== 'tool-call-end' || call === undefined) return ''
    return putPart(choice, encodeCallPart({ ...call.start, input: call.input }, answer))
  }

  function writeEnd(event: EventOf<'end'>): string {
    isOver = true
    if (event.usage || usage === '') usage = usageField(reportedUsage(event.usage, context))
    const candidates = [...finishes].map(([choice, { reason }]) => {
      const answer = answerOf(choice)
      const parts = signLast(answer.held === undefined ? [] : [answer.held], answer)
      const content = { parts, role: 'model' }
      const head = JSON.stringify({ content, finishReason: finishWords[reason], index: choice })
      const grounding = members(encodeGrounding(answer.cited, answer.searches))
      return `${head.slice(0, -1)}${answer.more}${grounding}}`
    })
    return frame(candidates.join(',')) + (framing === 'sse' ? '' : ']')
  }

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'start':
        if (event.usage) usage = usageField(event.usage)
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
      case 'tool-call-start': {
        const { id, choice } = event
        blocks.set(id, { choice, isThought: false, text: '' })
        const answer = answerOf(choice)
        return release(choice, answer) + answer.calls.push(event)
      }
      case 'tool-call-delta':
      case 'tool-call-end': {
        const block = blocks.get(event.id)
        return block === undefined ? '' : answerOf(block.choice).calls.push(event)
      }
      case 'image':
        return putPart(event.choice, encodeMedia(event.image))
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
    const rest = [...answers].map(([choice, answer]) => release(choice, answer))
    const error = { status, code: 'upstream_error', message, param: undefined, requestId }
    return rest.join('') + encodeGeminiStreamError(error, { framing, library }, isFirst)
  }

  return {
    push: (event) => (isOver ? '' : write(event)),
    fail: ({ status, message }) => (isOver ? '' : fail(status, message)),
  }
}

const usageField = (usage: Usage) => `,"usageMetadata":${JSON.stringify(encodeUsage(usage))}`

function members(fields: JsonObject): string {
  const json = JSON.stringify(fields)
  return json === '{}' ? '' : `,${json.slice(1, -1)}`
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff
