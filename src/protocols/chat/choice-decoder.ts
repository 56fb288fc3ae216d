import type { AnswerEvent } from '../canonical/event.ts'
import type { Citation } from '../canonical/request.ts'
import type { Finish } from '../canonical/response.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeAnnotations, decodeLogprobs, shiftCitations } from './annotations.ts'
import { createCallDecoder } from './call-decoder.ts'
import { decodeFinish } from './finish.ts'
import { decodeImages } from './media.ts'
import { thinkingText } from './reasoning.ts'
import { createReasoningDecoder } from './reasoning-decoder.ts'

/** Decodes one of the answers side by side, piece by piece. */
export interface ChoiceDecoder {
  /** The choice as it is in a chunk. `sources` are those that stand beside all choices. */
  push(wire: JsonObject, sources: readonly Citation[]): void
  /** Ends all blocks. */
  close(): void
  /** Whether the upstream said why the answer ended. */
  readonly isFinished: boolean
  readonly finish: Finish
}

/** What a choice decoder is given by the decoder of the whole answer. */
export interface ChoiceScene {
  readonly choice: number
  emit(event: AnswerEvent): void
  /** A new id of a block. */
  nextBlock(): string
  /** An id for a call that the upstream gives none. */
  inventCallId(): string
}

/** Text, reasoning and refusal come one after the other; calls may overlap with all of them. */
export function createChoiceDecoder(scene: ChoiceScene): ChoiceDecoder {
  const { choice, emit } = scene
  const text = createTextDecoder(scene, beforeText)
  const reasoning = createReasoningDecoder({ ...scene, beforeReasoning })
  const calls = createCallDecoder({ ...scene, beforeCall })
  let reason: string | undefined
  let stopSequence: string | undefined
  let hasRefusal = false

  function beforeText(): void {
    reasoning.close()
    calls.settle()
  }
  function beforeReasoning(): void {
    text.close()
    calls.settle()
  }
  function beforeCall(): void {
    reasoning.close()
    text.close()
  }

  function pushContent(delta: JsonObject, logprobs: readonly unknown[]): void {
    const { content } = delta
    if (typeof content === 'string') text.add('text', content, logprobs)
    else if (Array.isArray(content)) {
      for (const part of content) {
        if (!isJsonObject(part)) continue
        if (part.type === 'thinking') reasoning.add(thinkingText(part))
        else if (typeof part.text === 'string') text.add('text', part.text, logprobs)
      }
    }
  }

  function pushCalls(delta: JsonObject): void {
    for (const entry of arrayIn(delta, 'tool_calls')) if (isJsonObject(entry)) calls.push(entry)
    const legacy = objectIn(delta, 'function_call')
    const isCall = legacy !== undefined && (legacy.name || legacy.arguments)
    if (isCall) calls.push({ index: 0, function: legacy })
  }

  function pushImages(delta: JsonObject): void {
    for (const image of decodeImages(delta)) {
      beforeCall()
      emit({ type: 'image', choice, image })
    }
  }

  return {
    push(wire, sources) {
      const delta = objectIn(wire, 'delta') ?? objectIn(wire, 'message') ?? {}
      text.cite(decodeAnnotations(delta), sources)
      reasoning.push(delta)
      pushContent(delta, arrayIn(objectIn(wire, 'logprobs'), 'content'))
      const refusal = stringIn(delta, 'refusal')
      if (refusal !== undefined) {
        hasRefusal = true
        text.add('refusal', refusal, [])
      }
      pushImages(delta)
      pushCalls(delta)
      const told = stringIn(wire, 'finish_reason')
      // Some vendors end with a plain stop after they have said more.
      if (reason === undefined || reason === 'stop') reason = told ?? reason
      stopSequence = stringIn(wire, 'stop_reason') ?? stopSequence
    },
    close() {
      reasoning.close()
      text.close()
      calls.close()
    },
    get isFinished() {
      return reason !== undefined
    },
    get finish() {
      const traits = { hasCalls: calls.hasCalls, hasRefusal }
      return { reason: decodeFinish(reason, traits), stopSequence }
    },
  }
}

/** Text and refusals of a choice. Citations that come before the end of a text belong to it. */
function createTextDecoder({ choice, emit, nextBlock }: ChoiceScene, beforeText: () => void) {
  let open: { readonly kind: 'text' | 'refusal'; readonly id: string } | undefined
  /** Of the text before the open block, and of all. */
  let offset = 0
  let length = 0
  let citations: Citation[] = []
  let sources: readonly Citation[] = []

  function close(): void {
    if (open?.kind === 'refusal') emit({ type: 'refusal-end', id: open.id })
    if (open?.kind === 'text') {
      const found = citations.length > 0 ? shiftCitations(citations, -offset) : sources
      emit({ type: 'text-end', id: open.id, citations: found.length > 0 ? found : undefined })
      citations = []
    }
    open = undefined
  }

  function start(kind: 'text' | 'refusal') {
    close()
    beforeText()
    open = { kind, id: nextBlock() }
    offset = length
    emit({ type: `${kind}-start`, id: open.id, choice })
    return open
  }

  return {
    add(kind: 'text' | 'refusal', piece: string, tokens: readonly unknown[]): void {
      if (piece === '') return
      const { id } = open?.kind === kind ? open : start(kind)
      if (kind === 'refusal') {
        emit({ type: 'refusal-delta', id, text: piece })
        return
      }
      length += piece.length
      const logprobs = decodeLogprobs(tokens)
      emit({ type: 'text-delta', id, text: piece, ...(logprobs && { logprobs }) })
    },
    cite(found: readonly Citation[], beside: readonly Citation[]): void {
      citations.push(...found)
      if (beside.length > 0) sources = beside
    },
    close,
  }
}
