import type { ReasoningPart } from '../canonical/request.ts'
import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** What one of the `reasoning_details` says (OpenRouter's form, which others have taken over). */
export interface ReasoningDetail {
  readonly text: string
  readonly signature: string | undefined
  readonly id: string | undefined
  /** Pieces with the same one are one stretch of reasoning. */
  readonly index: number | undefined
  /** It is one of the gateway's own: the whole stretch, sealed. */
  readonly isOwn: boolean
}

/** How the gateway marks its own details. */
const ownFormat = 'tollgate'

/** The details of a message or delta; kinds that are not known are left out. */
export function readDetails(message: JsonObject): readonly ReasoningDetail[] {
  return arrayIn(message, 'reasoning_details').flatMap((detail) => {
    if (!isJsonObject(detail)) return []
    const { type, index } = detail
    const id = stringIn(detail, 'id')
    const place = typeof index === 'number' ? index : undefined
    const read = (text: string | undefined, signature: string | undefined) =>
      text === undefined && signature === undefined
        ? []
        : [{ text: text ?? '', signature, id, index: place, isOwn: detail.format === ownFormat }]
    if (type === 'reasoning.text') {
      return read(stringIn(detail, 'text'), stringIn(detail, 'signature'))
    }
    if (type === 'reasoning.summary') return read(stringIn(detail, 'summary'), undefined)
    return type === 'reasoning.encrypted' ? read(undefined, stringIn(detail, 'data')) : []
  })
}

/** Whether a detail goes on with the stretch that an earlier one began. */
export function continues(
  earlier: Pick<ReasoningDetail, 'signature' | 'id' | 'index'>,
  detail: ReasoningDetail,
): boolean {
  if (earlier.signature !== undefined) return false
  if (earlier.index !== undefined && detail.index !== undefined) {
    return earlier.index === detail.index
  }
  return earlier.id === undefined || detail.id === undefined || earlier.id === detail.id
}

/** Reasoning as plain text; vendors name it differently, and some name it twice. */
export function plainReasoning(message: JsonObject): string | undefined {
  return stringIn(message, 'reasoning_content') ?? stringIn(message, 'reasoning')
}

/**
 * The reasoning of a whole message. Where the details have its text, the plain text beside them is
 * the same again.
 */
export function decodeReasoning(message: JsonObject, at?: string): readonly ReasoningPart[] {
  const parts: { text: string; signature: string | undefined; id: string | undefined }[] = []
  let last: ReasoningDetail | undefined
  for (const detail of readDetails(message)) {
    const open = parts.at(-1)
    const { text, signature, id } = detail
    if (open !== undefined && last !== undefined && continues({ ...last, ...open }, detail)) {
      open.text += text
      open.signature = signature
      open.id ??= id
    } else {
      parts.push({ text, signature, id })
    }
    last = detail
  }
  const plain = plainReasoning(message)
  // Nothing but spaces stands in for what is missing (encode-messages.ts).
  if (plain?.trim() && parts.every(({ text }) => text === '')) {
    const [only] = parts
    // A seal stands for itself; another vendor's proof belongs to the text beside it.
    if (only !== undefined && parts.length === 1 && last?.isOwn === false) only.text = plain
    else parts.push({ text: plain, signature: undefined, id: undefined })
  }
  return parts.map((part) => ({ type: 'reasoning', ...part, at }))
}

/** What a client is to send back of reasoning that has a signature, as one of `reasoning_details`. */
export function encodeDetail(signature: string, id: string | undefined, index: number): JsonObject {
  return { type: 'reasoning.encrypted', data: signature, id: id ?? null, format: ownFormat, index }
}

/** Stretches of reasoning as one text. */
export function joinReasoning(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n')
}

/** The text of a content part of the kind `thinking` (Mistral): a string, or parts of text. */
export function thinkingText(part: JsonObject): string {
  if (typeof part.thinking === 'string') return part.thinking
  return arrayIn(part, 'thinking')
    .map((thought) =>
      isJsonObject(thought) && typeof thought.text === 'string' ? thought.text : '',
    )
    .join('')
}
