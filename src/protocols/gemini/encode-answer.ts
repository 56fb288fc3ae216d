import type {
  AnswerEvent,
  CanonicalResponse,
  Choice,
  EventOf,
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

const createAnswerState = (): AnswerState => ({ signatures: [], cited: [], searches: [] })

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

interface StreamedAnswer extends AnswerState {
  /** A chunk's JSON after its parts. */
  readonly foot: string
  /** Calls may overlap; they are written whole, in the order they began. */
  readonly calls: BlockOrder
  call: { readonly start: EventOf<'tool-call-start'>; input: string } | undefined
  /** The last part, held for the chunk with the finish reason: some SDKs reject a last chunk without one. */
  part: JsonObject | undefined
  /** The same of a text, without a part: its last character, since an empty text is rejected, too. */
  text: string
  /** What belongs beside the held part. */
  more: string
}

interface OpenBlock {
  readonly answer: StreamedAnswer
  readonly isThought: boolean
  text: string
}

/** Encodes a stream: a chunk per piece of text, whole calls, and the final fields with the last part. */
export function createEncoder(context: EncodeContext): StreamEncoder {
  const { framing, library, requestId, model } = context
  const isSse = framing === 'sse'
  const answers = new Map<number, StreamedAnswer>()
  const blocks = new Map<string, OpenBlock>()
  const finishes = new Map<number, Finish>()
  let isFirst = true
  let isOver = false
  let usage: Usage | undefined
  let responseId = requestId
  let close = closing()

  /** The fields after the candidates; all chunks share them until the end. */
  function closing(): string {
    const report = usage && `"usageMetadata":${JSON.stringify(encodeUsage(usage))},`
    const tail = `"modelVersion":${JSON.stringify(model)},"responseId":${JSON.stringify(responseId)}}`
    return `],${report ?? ''}${tail}${isSse ? '\r\n\r\n' : ''}`
  }

  function open(): string {
    const before = isSse ? 'data: ' : isFirst ? '[' : ',\r\n'
    isFirst = false
    return before
  }

  const chunk = ({ foot }: StreamedAnswer, part: string, more: string): string =>
    `${open()}{"candidates":[{"content":{"parts":[${part}${foot}${more}}${close}`

  function createAnswer(choice: number): StreamedAnswer {
    const calls = createBlockOrder((event) => writeCall(answerOf(choice), event))
    const empty = { call: undefined, part: undefined, text: '', more: '' }
    return { ...createAnswerState(), foot: `],"role":"model"},"index":${choice}`, calls, ...empty }
  }
  const answerOf = (choice: number) => answers.getOrInsertComputed(choice, createAnswer)

  const heldPart = ({ part, text }: StreamedAnswer) => (text === '' ? part : { text })

  function release(answer: StreamedAnswer): string {
    const held = heldPart(answer)
    if (held === undefined) return ''
    const { more } = answer
    answer.part = undefined
    answer.text = answer.more = ''
    return chunk(answer, JSON.stringify(held), more)
  }

  function putPart(answer: StreamedAnswer, part: JsonObject): string {
    const before = release(answer)
    answer.part = part
    return before
  }

  function putText(answer: StreamedAnswer, text: string, more: string): string {
    const joins = answer.text !== '' && answer.more === ''
    const before = joins ? '' : release(answer)
    const kept = isLowSurrogate(text.charCodeAt(text.length - 1)) ? 2 : 1
    // The text may be the second half of a pair, whose first half is held.
    const isHalf = text.length < kept
    const rest = isHalf ? answer.text + text : text
    const shown = (isHalf ? '' : answer.text) + rest.slice(0, -kept)
    answer.text = rest.slice(-kept)
    answer.more = shown === '' ? more : ''
    return shown === '' ? before : before + chunk(answer, `{"text":${JSON.stringify(shown)}}`, more)
  }

  function writeDelta(event: EventOf<'text-delta' | 'reasoning-delta' | 'refusal-delta'>): string {
    const block = blocks.get(event.id)
    const { text } = event
    if (block === undefined || text === '') return ''
    const { answer } = block
    if (block.isThought) {
      const thought = `{"text":${JSON.stringify(text)},"thought":true}`
      return release(answer) + chunk(answer, thought, '')
    }
    block.text += text
    const hasTokens = event.type === 'text-delta' && event.logprobs !== undefined
    return putText(answer, text, hasTokens ? members(encodeLogprobs(event.logprobs)) : '')
  }

  function endBlock(
    event: EventOf<'text-end' | 'reasoning-end' | 'refusal-end' | 'search-end'>,
  ): void {
    const block = blocks.get(event.id)
    if (block === undefined) return
    blocks.delete(event.id)
    const { cited, signatures, searches } = block.answer
    if (event.type === 'text-end' && event.citations) {
      cited.push({ text: block.text, citations: event.citations })
    } else if (event.type === 'reasoning-end' && event.signature !== undefined) {
      signatures.push(event.signature)
    } else if (event.type === 'search-end') searches.push(event.search)
  }

  function writeCall(answer: StreamedAnswer, event: BlockEvent): string {
    if (event.type === 'tool-call-start') answer.call = { start: event, input: '' }
    const { call } = answer
    if (event.type === 'tool-call-delta' && call) call.input += event.text
    if (event.type !== 'tool-call-end' || call === undefined) return ''
    return putPart(answer, encodeCallPart({ ...call.start, input: call.input }, answer))
  }

  function writeEnd(event: EventOf<'end'>): string {
    isOver = true
    usage = event.usage ?? reportedUsage(usage, context)
    close = closing()
    const candidates = [...finishes].map(([choice, { reason }]) => {
      const answer = answerOf(choice)
      const held = heldPart(answer)
      const content = { parts: signLast(held === undefined ? [] : [held], answer), role: 'model' }
      const head = JSON.stringify({ content, finishReason: finishWords[reason], index: choice })
      const grounding = members(encodeGrounding(answer.cited, answer.searches))
      return `${head.slice(0, -1)}${answer.more}${grounding}}`
    })
    return `${open()}{"candidates":[${candidates.join(',')}${close}${isSse ? '' : ']'}`
  }

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'start':
        usage = event.usage
        responseId = event.id ?? requestId
        close = closing()
        return ''
      case 'text-start':
      case 'reasoning-start':
      case 'refusal-start':
      case 'search-start':
      case 'tool-call-start': {
        const answer = answerOf(event.choice)
        const isThought = event.type === 'reasoning-start'
        blocks.set(event.id, { answer, isThought, text: '' })
        if (event.type !== 'tool-call-start') return ''
        return release(answer) + answer.calls.push(event)
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
      case 'tool-call-delta':
      case 'tool-call-end':
        return blocks.get(event.id)?.answer.calls.push(event) ?? ''
      case 'image':
        return putPart(answerOf(event.choice), encodeMedia(event.image))
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
    const rest = [...answers.values()].map(release)
    const error = { status, code: 'upstream_error', message, param: undefined, requestId }
    return rest.join('') + encodeGeminiStreamError(error, { framing, library }, isFirst)
  }

  return {
    push: (event) => (isOver ? '' : write(event)),
    fail: ({ status, message }) => (isOver ? '' : fail(status, message)),
  }
}

function members(fields: JsonObject): string {
  const json = JSON.stringify(fields)
  return json === '{}' ? '' : `,${json.slice(1, -1)}`
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff
