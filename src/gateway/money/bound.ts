import type { Plan } from '../admit/plan.ts'
import type { RequestBody } from '../body/body.ts'
import { dearestNano } from './dearest.ts'
import { type CountTokens, estimateTokens } from './estimate.ts'
import { largestWindow } from './record.ts'

// What a request may use, in LLM tokens, and what that costs: at the most, and about.

export interface Asked {
  readonly body: RequestBody
  readonly plan: Plan
  /** LLM tokens of the stored answers that it continues; undefined: not known. */
  readonly continuedTokens: number | undefined
}

/** What a request is taken to cost with an answer of so many LLM tokens. */
interface Estimate {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly amountNano: number
}

/** No vendor's model writes more than this in one answer. */
const longestAnswer = 131_072
/** What an image is at the most; with the one family that counts otherwise. Source: its vendors' pages. */
const imageTokens = 6_000
const largeImageTokens = 50_000
const countsLarge = /4o-mini/

/** The most that a request can come to: a token for each byte, the window for what is not seen. */
export function mostOf(asked: Asked): Estimate {
  const { body, plan } = asked
  const { facts } = body
  const media = mediaOf(body)
  const inputTokens = mostInput(asked, media)
  const outputTokens = answerTokens(asked, facts.longestAnswer ?? longestAnswer) * facts.answers
  const hasMedia = media.tokens > 0 || facts.hasUnseenInput || facts.continues.length > 0
  const use = { inputTokens, outputTokens, tools: facts.toolBounds, hasMedia }
  return { inputTokens, outputTokens, amountNano: dearestNano(plan, body, use) }
}

export function estimateWith(
  { plan, body }: Asked,
  inputTokens: number,
  perAnswer: number,
): Estimate {
  const outputTokens = perAnswer * body.facts.answers
  const use = { inputTokens, outputTokens, tools: undefined, hasMedia: false }
  return { inputTokens, outputTokens, amountNano: dearestNano(plan, body, use) }
}

/** The longest that each of its answers may get; `unlimited`: where the request sets no limit. */
export function answerTokens({ plan, body }: Asked, unlimited: number): number {
  // A limit beyond what the model can hold is none that it could ever reach.
  return Math.min(body.facts.maxOutputTokens ?? unlimited, windowOf(plan))
}

const windowOf = ({ offer }: Plan) => offer.contextWindow ?? largestWindow

function mostInput(
  { body, plan, continuedTokens }: Asked,
  { images, isUnseen }: ReturnType<typeof mediaOf>,
): number {
  const { facts, bytes } = body
  const window = windowOf(plan)
  // Embeddings take many inputs at a time, each as large as the window.
  if (facts.maxOutputTokens === 0) {
    const isText = !facts.hasUnseenInput && !isUnseen && images.count === 0
    return isText ? bytes.byteLength : window * facts.calls
  }
  if (facts.turns > 1) return window * facts.turns
  if (facts.hasUnseenInput || continuedTokens === undefined) return window
  if (isUnseen) return window
  const perImage = hasLargeImages(plan) ? largeImageTokens : imageTokens
  const written = bytes.byteLength - images.bytes + images.count * perImage
  return Math.min(window, continuedTokens + written)
}

/** A form's pictures are its files. */
function mediaOf({ bytes, contentType, facts }: RequestBody) {
  if (!contentType.startsWith('multipart/')) return facts.media()
  let count = 0
  for (let at = bytes.indexOf(fileMark); at >= 0; at = bytes.indexOf(fileMark, at + 1)) count++
  const images = { count, bytes: bytes.byteLength - facts.text().length }
  return { ...{ tokens: count, images }, isUnseen: false }
}

const fileMark = Buffer.from('filename=')

function hasLargeImages({ offer }: Plan): boolean {
  if (countsLarge.test(offer.model)) return true
  for (const { upstreamModel } of offer.candidates) if (countsLarge.test(upstreamModel)) return true
  return false
}

/** Bodies below this are taken to be all text: looking for images in them is not worth it. */
const smallBodyBytes = 16_384
/** Text has about four bytes a token in English, three in Chinese; less is rare. */
const bytesPerToken = 3
/** No text of people's has more. */
const mostBytesPerToken = 8
/** What stands around the text of a short request: names, and settings that the model never sees. */
const frameBytes = 512
/** Vendors' tokenizers differ by so much from the one that counts here. */
const countMargin = 1.1

/** LLM tokens of a request's input: rather too much than too little, in no time. */
export function quickInput({ bytes, contentType, facts }: RequestBody): number {
  if (contentType.startsWith('multipart/')) return Math.ceil(facts.text().length / bytesPerToken)
  if (bytes.byteLength <= smallBodyBytes) return Math.ceil(bytes.byteLength / bytesPerToken)
  const media = facts.media()
  return Math.ceil((bytes.byteLength - media.bytes) / bytesPerToken) + media.tokens
}

/** By the tokenizer, where money is short; what stands beside people's text counts by its bytes. */
export async function countedInput(body: RequestBody, count: CountTokens): Promise<number> {
  const { facts, bytes } = body
  const tokens = (await estimateTokens(facts.text(), count)) * countMargin
  const { images } = mediaOf(body)
  const least = (bytes.byteLength - images.bytes - frameBytes) / mostBytesPerToken
  return Math.ceil(Math.max(tokens, least)) + facts.media().tokens
}
