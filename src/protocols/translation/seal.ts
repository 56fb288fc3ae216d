import type { AnswerEvent } from '../canonical/event.ts'
import type {
  CanonicalRequest,
  NativeUse,
  Part,
  ReasoningPart,
  Turn,
} from '../canonical/request.ts'
import type { CanonicalResponse } from '../canonical/response.ts'
import { changeParts } from '../canonical/turns.ts'
import { parseJsonObject, stringIn } from '../json.ts'

/**
 * Reasoning goes back to the vendor it comes from, through clients of other protocols: with its
 * origin it is put in a seal, which stands where the client's protocol has a signature, and which
 * the client sends back unread. The gateway keeps nothing.
 */

/** Encrypts and signs a text; equal texts give equal seals. */
export interface Sealer {
  /** As base64url. */
  seal(text: string): string
  /** Undefined for what was not sealed here, or was changed. */
  open(sealed: string): string | undefined
}

/** How every seal begins. */
export const sealPrefix = 'tgs1.'
/** Between the seals of reasoning that shares one carrier (gemini's calls). */
const separator = '~'

/** No answer has as many pieces of reasoning in one carrier. */
const mostSeals = 256

interface SealedReasoning {
  readonly origin: string
  readonly part: ReasoningPart
}

function sealPart(
  part: Omit<ReasoningPart, 'type'>,
  origin: string,
  sealer: Sealer,
): string | undefined {
  const { text, signature, isRedacted, id, callId } = part
  if (text === '' && signature === undefined) return undefined
  const plain = JSON.stringify({ origin, text, signature, isRedacted, id, callId })
  return sealPrefix + sealer.seal(plain)
}

function openSeal(seal: string, sealer: Sealer): SealedReasoning | undefined {
  if (!seal.startsWith(sealPrefix)) return undefined
  const plain = parseJsonObject(sealer.open(seal.slice(sealPrefix.length)) ?? '')
  const origin = stringIn(plain, 'origin')
  if (plain === undefined || origin === undefined) return undefined
  const part: ReasoningPart = {
    type: 'reasoning',
    text: stringIn(plain, 'text') ?? '',
    signature: stringIn(plain, 'signature'),
    isRedacted: plain.isRedacted === true ? true : undefined,
    id: stringIn(plain, 'id'),
    callId: stringIn(plain, 'callId'),
  }
  return { origin, part }
}

/** Seals the reasoning of a whole answer that came from `origin`. */
export function sealResponse(
  response: CanonicalResponse,
  origin: string,
  sealer: Sealer,
): CanonicalResponse {
  const choices = response.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) =>
      part.type === 'reasoning'
        ? { ...part, signature: sealPart(part, origin, sealer), id: undefined, callId: undefined }
        : part,
    ),
  }))
  return { ...response, choices }
}

/** Seals the reasoning of a stream that comes from `origin`, event by event. */
export function createEventSealer(
  origin: string,
  sealer: Sealer,
): (event: AnswerEvent) => AnswerEvent {
  const texts = new Map<string, string>()
  return (event) => {
    if (event.type === 'reasoning-delta') {
      texts.set(event.id, (texts.get(event.id) ?? '') + event.text)
    }
    if (event.type !== 'reasoning-end') return event
    const { id, signature, isRedacted, itemId, callId } = event
    const text = texts.get(id) ?? ''
    texts.delete(id)
    const part = { text, signature, isRedacted, id: itemId, callId }
    return { type: 'reasoning-end', id, isRedacted, signature: sealPart(part, origin, sealer) }
  }
}

/**
 * Takes the seals off a request that goes to `origin`. What comes from elsewhere loses its signature
 * (the table says what becomes of the text); where nothing is left of it, it is named.
 */
export function openRequest(
  request: CanonicalRequest,
  origin: string,
  sealer: Sealer,
): CanonicalRequest {
  const native: NativeUse[] = [...request.native]
  const hasReasoning = request.turns.some(({ parts }) => parts.some(isReasoning))
  if (!hasReasoning) return request
  const turns = changeParts(request.turns, (turn) => openTurn(turn, origin, sealer, native))
  return { ...request, turns, native }
}

const isReasoning = (part: Part) => part.type === 'reasoning'

function openTurn(
  turn: Turn,
  origin: string,
  sealer: Sealer,
  native: NativeUse[],
): readonly Part[] {
  let hasSeal = false
  const opened = turn.parts.map((part): readonly Part[] => {
    if (part.type !== 'reasoning' || part.signature === undefined) return [part]
    const isSealed = part.signature.startsWith(sealPrefix)
    const pieces = isSealed ? part.signature.split(separator, mostSeals) : []
    const seals = pieces.flatMap((piece) => openSeal(piece, sealer) ?? [])
    if (seals.length === 0) return restored(undefined, part, origin, native)
    hasSeal = true
    // Beside those that are whole, one that was changed is left out.
    if (seals.length < pieces.length) noteForeign(part, native)
    return seals.flatMap((seal) => restored(seal, part, origin, native))
  })
  // Beside sealed reasoning, the same text without a seal is what the client showed to a person.
  return opened.flatMap((list, index) => {
    const was = turn.parts[index]
    const isCopy = hasSeal && was?.type === 'reasoning' && was.signature === undefined
    return isCopy ? [] : list
  })
}

function restored(
  seal: SealedReasoning | undefined,
  part: ReasoningPart,
  origin: string,
  native: NativeUse[],
): readonly ReasoningPart[] {
  const { at, text } = part
  if (seal?.origin === origin) {
    const isOwn = seal.part.signature === undefined ? true : undefined
    return [{ ...seal.part, isOwn, at }]
  }
  const left = seal?.part.text ?? text
  if (left !== '') return [{ type: 'reasoning', text: left, at }]
  noteForeign(part, native)
  return []
}

function noteForeign({ at = 'messages' }: ReasoningPart, native: NativeUse[]): void {
  native.push({ feature: 'foreign_signature', at })
}
