import type { AnswerEvent } from '../canonical/event.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type { SearchPart, TokenLogprob, ToolKind } from '../canonical/request.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeCitations, decodeSearch } from './citations.ts'
import { decodeFinish } from './finish.ts'
import { decodeLogprobs } from './logprobs.ts'
import { camelNames } from './names.ts'
import { createPartialArgs, type PartialArgs } from './partial-args.ts'
import { toStandardBase64 } from './signature.ts'

type Add = (event: AnswerEvent) => void

/** One of the answers side by side. */
export interface CandidateDecoder {
  /** The next piece of it, with camelCase names. */
  read(candidate: JsonObject, add: Add): void
  /** The vendor has blocked the prompt: no answer comes. */
  block(): void
  close(add: Add): void
  hasEnded(): boolean
  finish(add: Add): void
}

interface Ids {
  block(): string
  call(): string
}

/** A block of text or thought that goes on from part to part. */
interface OpenBlock {
  readonly id: string
  readonly type: 'text' | 'reasoning'
  /** The whole of it, to find the places of what it cites. */
  text: string
}

interface OpenCall {
  readonly name: string
  readonly callId: string
  readonly pieces: PartialArgs
}

/** A candidate of which nothing has come. */
export function createCandidate(
  choice: number,
  customTools: ReadonlySet<string>,
  ids: Ids,
): CandidateDecoder {
  let open: OpenBlock | undefined
  let openCall: OpenCall | undefined
  let reason: string | undefined
  let isBlocked = false
  let hasCalls = false
  let sources: JsonObject = {}
  let search: SearchPart | undefined

  function closeBlock(add: Add, signature?: string): void {
    if (open === undefined) return
    const { id, type, text } = open
    open = undefined
    if (type === 'reasoning') {
      add({ type: 'reasoning-end', id, signature })
      return
    }
    const citations = decodeCitations(sources, text)
    sources = {}
    add({ type: 'text-end', id, ...(citations.length === 0 ? {} : { citations }) })
  }

  function openBlock(type: OpenBlock['type'], add: Add): OpenBlock {
    if (open?.type === type) return open
    closeBlock(add)
    open = { id: ids.block(), type, text: '' }
    add({ type: type === 'text' ? 'text-start' : 'reasoning-start', id: open.id, choice })
    return open
  }

  function addSignature(signature: string, add: Add, callId?: string): void {
    closeBlock(add)
    const id = ids.block()
    add({ type: 'reasoning-start', id, choice })
    add({ type: 'reasoning-end', id, signature, callId })
  }

  function addCall({ name, callId }: Omit<OpenCall, 'pieces'>, args: JsonObject, add: Add): void {
    const id = ids.block()
    const text = toJsonText(args) ?? '{}'
    const { kind, input } = customTools.has(name) ? customInput(args, text) : plain(text)
    add({ type: 'tool-call-start', id, choice, callId, name, kind })
    add({ type: 'tool-call-delta', id, text: input })
    add({ type: 'tool-call-end', id })
    hasCalls = true
  }

  function closeCall(add: Add): void {
    if (openCall === undefined) return
    addCall(openCall, openCall.pieces.args(), add)
    openCall = undefined
  }

  function readCall(call: JsonObject, signature: string | undefined, add: Add): void {
    const name = stringIn(call, 'name')
    if (name === undefined) {
      // The rest of a call whose arguments come in pieces.
      openCall?.pieces.push(call)
      if (call.willContinue !== true) closeCall(add)
      return
    }
    closeCall(add)
    const callId = stringIn(call, 'id') ?? ids.call()
    if (signature === undefined) closeBlock(add)
    else addSignature(signature, add, callId)
    const pieces = createPartialArgs()
    pieces.push(call)
    if (call.willContinue === true) openCall = { name, callId, pieces }
    else addCall({ name, callId }, objectIn(call, 'args') ?? pieces.args(), add)
  }

  function readText(part: JsonObject, logprobs: readonly TokenLogprob[] | undefined, add: Add) {
    const text = typeof part.text === 'string' ? part.text : ''
    const signature = stringIn(part, 'thoughtSignature')
    const type = part.thought === true ? 'reasoning' : 'text'
    if (text !== '') {
      const block = openBlock(type, add)
      block.text += text
      if (type === 'reasoning') add({ type: 'reasoning-delta', id: block.id, text })
      else add({ type: 'text-delta', id: block.id, text, ...(logprobs ? { logprobs } : {}) })
    }
    if (signature === undefined) return
    if (type === 'reasoning' && open?.type === 'reasoning') closeBlock(add, signature)
    else addSignature(signature, add)
  }

  function readPart(wire: JsonObject, logprobs: readonly TokenLogprob[] | undefined, add: Add) {
    const part = camelNames(wire)
    const call = objectIn(part, 'functionCall')
    if (call) return readCall(camelNames(call), stringIn(part, 'thoughtSignature'), add)
    closeCall(add)
    const blob = objectIn(part, 'inlineData')
    if (blob) return readImage(camelNames(blob), part, add)
    const isPlain = typeof part.text === 'string' || Object.keys(part).every(isTextField)
    // What the vendor's own tools did is nothing that another protocol could tell.
    if (isPlain) readText(part, logprobs, add)
  }

  function readImage(blob: JsonObject, part: JsonObject, add: Add): void {
    const mediaType = stringIn(blob, 'mimeType')
    const data = stringIn(blob, 'data')
    // Images that the model thinks in are drafts.
    const isShown = part.thought !== true && mediaType?.startsWith('image/') === true
    if (!isShown || data === undefined || mediaType === undefined) return
    closeBlock(add)
    const source = { type: 'data', mediaType, data: toStandardBase64(data) } as const
    add({ type: 'image', choice, image: { type: 'image', source } })
    const signature = stringIn(part, 'thoughtSignature')
    if (signature !== undefined) addSignature(signature, add)
  }

  /** It is told of with the end of the text. */
  function addSearch(add: Add): void {
    if (search === undefined) return
    const id = ids.block()
    add({ type: 'search-start', id, choice })
    add({ type: 'search-end', id, search })
    search = undefined
  }

  return {
    read(candidate, add) {
      const grounding = objectIn(candidate, 'groundingMetadata')
      // It comes once, or whole with each of the last chunks.
      search = decodeSearch(grounding) ?? search
      if (arrayIn(grounding, 'groundingChunks').length > 0) {
        sources = { ...sources, groundingMetadata: candidate.groundingMetadata }
      }
      if (isJsonObject(candidate.citationMetadata)) {
        sources = { ...sources, citationMetadata: candidate.citationMetadata }
      }
      let logprobs = decodeLogprobs(candidate)
      for (const part of arrayIn(objectIn(candidate, 'content'), 'parts')) {
        if (!isJsonObject(part)) continue
        readPart(part, logprobs, add)
        // They are those of the answer, not of the thought before it.
        const isSaid = typeof part.text === 'string' && part.text !== '' && part.thought !== true
        if (isSaid) logprobs = undefined
      }
      reason = stringIn(candidate, 'finishReason') ?? reason
    },
    block() {
      isBlocked = true
    },
    close(add) {
      closeCall(add)
      closeBlock(add)
      addSearch(add)
    },
    hasEnded: () => isBlocked || reason !== undefined,
    finish(add) {
      if (reason !== undefined)
        add({ type: 'finish', choice, reason: decodeFinish(reason, hasCalls) })
      else if (isBlocked) add({ type: 'finish', choice, reason: 'filter' })
    },
  }
}

const textFields = new Set(['text', 'thought', 'thoughtSignature'])
const isTextField = (name: string) => textFields.has(name)

interface Input {
  readonly kind: ToolKind
  readonly input: string
}

const plain = (input: string): Input => ({ kind: 'function', input })

/** Free text came as the one text of a function's arguments. */
function customInput(args: JsonObject, text: string): Input {
  return typeof args.input === 'string' ? { kind: 'custom', input: args.input } : plain(text)
}
