import type { AnswerEvent, CanonicalResponse, FinishReason } from '../canonical/answer.ts'
import type { DecodeContext, StreamDecoder } from '../canonical/codec.ts'
import { foldEvents } from '../canonical/fold.ts'
import { toJsonText, withExactCalls } from '../canonical/json-text.ts'
import type { SearchPart, ServiceTier, TokenLogprob, Tool } from '../canonical/request.ts'
import { EventSink } from '../canonical/sink.ts'
import { toolNamed } from '../canonical/tools.ts'
import {
  arrayIn,
  countIn,
  isJsonObject,
  meanings,
  objectIn,
  parseJsonObject,
  stringIn,
} from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeCitations, decodeLogprobs, decodeSearchResult } from './citations.ts'
import { decodeTier } from './decode-request.ts'
import { decodeError } from './errors.ts'
import { createPartialArgs, type PartialArgs } from './partial-args.ts'
import { toStandardBase64 } from './thinking.ts'
import { geminiReports } from './usage.ts'
import { camelNames } from './wire.ts'

/** Decodes a whole answer: it has the shape of a stream's only chunk. Never throws. */
export function decodeResponse(body: JsonObject, context: DecodeContext): CanonicalResponse {
  const decoder = createChunkDecoder(context)
  return foldEvents([...decoder.read(body), ...decoder.end()])
}

/** The stream has no last event, and more may follow a finish reason: it ends with the connection. */
export function createDecoder(context: DecodeContext): StreamDecoder {
  const decoder = createChunkDecoder(context)
  return {
    push(data, _event, json) {
      const chunk = json ?? parseJsonObject(data)
      if (chunk === undefined) return []
      return decoder.read(data.includes('"args"') ? withExactCalls(chunk, data) : chunk)
    },
    end: decoder.end,
  }
}

/** Decodes answers: chunks of a stream, or a whole body as one big chunk. */
function createChunkDecoder({ requestId, request }: DecodeContext) {
  const sink = new EventSink(requestId, geminiReports)
  const candidates = new Map<number, CandidateDecoder>()
  const begin = (index: number) => createCandidate(index, request.tools, sink)
  const candidateAt = (index: number) => candidates.getOrInsertComputed(index, begin)

  function start(chunk: JsonObject): void {
    const [id, model] = [stringIn(chunk, 'responseId'), stringIn(chunk, 'modelVersion')]
    sink.start({ id, model, createdAt: secondsOf(chunk.createTime), usage: sink.usage })
  }

  return {
    read(wire: JsonObject): readonly AnswerEvent[] {
      if (sink.isOver) return []
      const chunk = camelNames(wire)
      const metadata = objectIn(chunk, 'usageMetadata')
      sink.noteUsage(metadata && camelNames(metadata))
      sink.serviceTier = tierOf(metadata) ?? sink.serviceTier
      if (!sink.isStarted) start(chunk)
      for (const candidate of arrayIn(chunk, 'candidates')) {
        if (!isJsonObject(candidate)) continue
        const fields = camelNames(candidate)
        candidateAt(countIn(fields, 'index') ?? 0).read(fields)
      }
      const feedback = objectIn(chunk, 'promptFeedback')
      if (stringIn(feedback && camelNames(feedback), 'blockReason') !== undefined) {
        candidateAt(0).block()
      }
      if (chunk.error !== undefined && chunk.error !== null) {
        for (const candidate of candidates.values()) candidate.close()
        sink.fail(decodeError(chunk))
      }
      return sink.take()
    },
    end(): readonly AnswerEvent[] {
      if (sink.isOver) return []
      sink.isOver = true
      const all = [...candidates.values()]
      for (const candidate of all) candidate.close()
      for (const candidate of all) candidate.finish()
      const areAllEnded = all.length > 0 && all.every((candidate) => candidate.hasEnded())
      if (areAllEnded) sink.end()
      return sink.take()
    },
  }
}

/** The Gemini API names the tier, Vertex the kind of traffic (`ON_DEMAND_FLEX`). */
function tierOf(metadata: JsonObject | undefined): ServiceTier | undefined {
  const told = decodeTier(metadata?.serviceTier)
  if (told !== undefined) return told
  const word = /_(FLEX|PRIORITY)$/.exec(stringIn(metadata, 'trafficType') ?? '')?.[1]
  return decodeTier(word)
}

function secondsOf(time: unknown): number | undefined {
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return ms >= 0 ? Math.floor(ms / 1000) : undefined
}

type CandidateDecoder = ReturnType<typeof createCandidate>

interface OpenBlock {
  readonly id: string
  readonly type: 'text' | 'reasoning'
  text: string
}

interface OpenCall {
  readonly name: string
  readonly callId: string
  readonly pieces: PartialArgs
}

type Logprobs = readonly TokenLogprob[] | undefined

function createCandidate(choice: number, tools: readonly Tool[], sink: EventSink) {
  let open: OpenBlock | undefined
  let openCall: OpenCall | undefined
  let reason: string | undefined
  let isBlocked = false
  let hasCalls = false
  let sources: JsonObject = {}
  let search: SearchPart | undefined

  function closeBlock(signature?: string): void {
    if (open === undefined) return
    const { id, type, text } = open
    open = undefined
    if (type === 'reasoning') {
      sink.push({ type: 'reasoning-end', id, signature })
      return
    }
    const citations = decodeCitations(sources, text)
    sources = {}
    sink.push({ type: 'text-end', id, citations: citations.length === 0 ? undefined : citations })
  }

  function openBlock(type: OpenBlock['type']): OpenBlock {
    if (open?.type === type) return open
    closeBlock()
    open = { id: sink.open(type, choice), type, text: '' }
    return open
  }

  function addSignature(signature: string, callId?: string): void {
    closeBlock()
    sink.push({ type: 'reasoning-end', id: sink.open('reasoning', choice), signature, callId })
  }

  function addCall({ name, callId }: Omit<OpenCall, 'pieces'>, args: JsonObject): void {
    const id = sink.nextBlock()
    const isCustom = toolNamed(tools, name)?.kind === 'custom'
    const free = isCustom && typeof args.input === 'string' ? args.input : undefined
    const kind = free === undefined ? 'function' : 'custom'
    sink.push({ type: 'tool-call-start', id, choice, callId, name, kind })
    sink.push({ type: 'tool-call-delta', id, text: free ?? toJsonText(args) ?? '{}' })
    sink.push({ type: 'tool-call-end', id })
    hasCalls = true
  }

  function closeCall(): void {
    if (openCall === undefined) return
    addCall(openCall, openCall.pieces.args())
    openCall = undefined
  }

  function readCall(call: JsonObject, signature: string | undefined): void {
    const name = stringIn(call, 'name')
    if (name === undefined) {
      openCall?.pieces.push(call)
      if (call.willContinue !== true) closeCall()
      return
    }
    closeCall()
    const callId = stringIn(call, 'id') ?? sink.nextCall()
    if (signature === undefined) closeBlock()
    else addSignature(signature, callId)
    const pieces = createPartialArgs()
    pieces.push(call)
    if (call.willContinue === true) openCall = { name, callId, pieces }
    else addCall({ name, callId }, objectIn(call, 'args') ?? pieces.args())
  }

  function readText(part: JsonObject, logprobs: Logprobs): void {
    const text = typeof part.text === 'string' ? part.text : ''
    const signature = stringIn(part, 'thoughtSignature')
    const type = part.thought === true ? 'reasoning' : 'text'
    if (text !== '') {
      const block = openBlock(type)
      block.text += text
      if (type === 'reasoning') sink.push({ type: 'reasoning-delta', id: block.id, text })
      else sink.push({ type: 'text-delta', id: block.id, text, logprobs })
    }
    if (signature === undefined) return
    if (type === 'reasoning' && open?.type === 'reasoning') closeBlock(signature)
    else addSignature(signature)
  }

  function readImage(blob: JsonObject, part: JsonObject): void {
    const mediaType = stringIn(blob, 'mimeType')
    const data = stringIn(blob, 'data')
    // Images in thoughts are drafts.
    const isShown = part.thought !== true && mediaType?.startsWith('image/') === true
    if (!isShown || data === undefined || mediaType === undefined) return
    closeBlock()
    const source = { type: 'data', mediaType, data: toStandardBase64(data) } as const
    sink.push({ type: 'image', choice, image: { type: 'image', source } })
    const signature = stringIn(part, 'thoughtSignature')
    if (signature !== undefined) addSignature(signature)
  }

  function readPart(wire: JsonObject, logprobs: Logprobs) {
    const part = camelNames(wire)
    const call = objectIn(part, 'functionCall')
    if (call) return readCall(camelNames(call), stringIn(part, 'thoughtSignature'))
    closeCall()
    const blob = objectIn(part, 'inlineData')
    if (blob) return readImage(camelNames(blob), part)
    const isPlain = typeof part.text === 'string' || Object.keys(part).every(isTextField)
    // Other protocols have no form for the work of vendor-run tools.
    if (isPlain) readText(part, logprobs)
  }

  function noteSources(candidate: JsonObject): void {
    const grounding = objectIn(candidate, 'groundingMetadata')
    // It comes once, or in full with each of the last chunks.
    search = decodeSearchResult(grounding) ?? search
    if (arrayIn(grounding, 'groundingChunks').length > 0) {
      sources = { ...sources, groundingMetadata: candidate.groundingMetadata }
    }
    if (isJsonObject(candidate.citationMetadata)) {
      sources = { ...sources, citationMetadata: candidate.citationMetadata }
    }
  }

  return {
    read(candidate: JsonObject): void {
      noteSources(candidate)
      let logprobs = decodeLogprobs(candidate)
      for (const part of arrayIn(objectIn(candidate, 'content'), 'parts')) {
        if (!isJsonObject(part)) continue
        readPart(part, logprobs)
        // They belong to the answer, not to the preceding thought.
        const isSaid = typeof part.text === 'string' && part.text !== '' && part.thought !== true
        if (isSaid) logprobs = undefined
      }
      reason = stringIn(candidate, 'finishReason') ?? reason
    },
    block(): void {
      isBlocked = true
    },
    close(): void {
      closeCall()
      closeBlock()
      if (search === undefined) return
      const id = sink.nextBlock()
      sink.push({ type: 'search-start', id, choice })
      sink.push({ type: 'search-end', id, search })
      search = undefined
    },
    hasEnded: () => isBlocked || reason !== undefined,
    finish(): void {
      if (reason !== undefined) {
        sink.push({ type: 'finish', choice, reason: decodeFinish(reason, hasCalls) })
      } else if (isBlocked) sink.push({ type: 'finish', choice, reason: 'filter' })
    },
  }
}

const textFields = new Set(['text', 'thought', 'thoughtSignature'])
const isTextField = (name: string) => textFields.has(name)

function decodeFinish(reason: string, hasCalls: boolean): FinishReason {
  if (hasCalls && (reason === 'STOP' || reason === 'UNEXPECTED_TOOL_CALL')) return 'tool-calls'
  return finishReasons.get(reason) ?? 'other'
}

/** Source: the API's reference of `FinishReason`. All others are `other`. */
const finishReasons = meanings<FinishReason>({
  stop: 'STOP',
  // `CONTINUATION` is a request's limit; continuing needs a token that only this protocol has.
  length: 'MAX_TOKENS CONTINUATION',
  filter:
    'SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION MODEL_ARMOR',
  failed: 'MALFORMED_FUNCTION_CALL MALFORMED_RESPONSE UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS',
})
