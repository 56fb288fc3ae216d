import type { Plan } from '../admit/plan.ts'
import type { RequestBody } from '../body/body.ts'
import { dearestNano } from './dearest.ts'
import { type CountTokens, estimateTokens } from './estimate.ts'
import { largestWindow } from './record.ts'

// What a request may use, in LLM tokens, and what that costs: its bound, and about.

export interface CostQuestion {
  readonly body: RequestBody
  readonly plan: Plan
  readonly continuedTokens: number | undefined
}

interface Cost {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly amountNano: number
}

/** No vendor's model writes more than this in one answer. */
const longestAnswer = 131_072
/** The most LLM tokens of an image; one family counts otherwise. Source: vendors' pages. */
const imageTokens = 6_000
const largeImageTokens = 50_000
const countsLarge = /4o-mini/

/** The most that a request can use: a token for each byte, the window for what is not seen. */
export function boundOf(asked: CostQuestion): Cost {
  const { body, plan } = asked
  const { facts } = body
  const media = mediaOf(body)
  const inputTokens = mostInput(asked, media)
  const outputTokens = answerTokens(asked, facts.longestAnswer ?? longestAnswer) * facts.answers
  const hasMedia = media.tokens > 0 || facts.hasUnseenInput || facts.continues.length > 0
  const use = { inputTokens, outputTokens, tools: facts.toolBounds, hasMedia }
  return { inputTokens, outputTokens, amountNano: dearestNano(plan, body, use) }
}

export function costWith(
  { plan, body }: CostQuestion,
  inputTokens: number,
  perAnswer: number,
): Cost {
  const outputTokens = perAnswer * body.facts.answers
  const use = { inputTokens, outputTokens, tools: undefined, hasMedia: false }
  return { inputTokens, outputTokens, amountNano: dearestNano(plan, body, use) }
}

/** The limit of each answer; `unlimited`: where the request sets none. */
export function answerTokens({ plan, body }: CostQuestion, unlimited: number): number {
  // A limit beyond the model's window is never reached.
  return Math.min(body.facts.maxOutputTokens ?? unlimited, windowOf(plan))
}

const windowOf = ({ offer }: Plan) => offer.contextWindow ?? largestWindow

function mostInput(
  { body, plan, continuedTokens }: CostQuestion,
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

/** Smaller bodies are taken to be all text: scanning them for images is not worth it. */
const smallBodyBytes = 16_384
/** Text has about four bytes a token in English, three in Chinese; less is rare. */
const bytesPerToken = 3
/** No natural text has more. */
const mostBytesPerToken = 8
/** Fields around the text of a short request that the model never sees. */
const frameBytes = 512
/** Vendors' tokenizers differ by this much from ours. */
const countMargin = 1.1

/** A fast estimate of a request's input in LLM tokens, rather too high than too low. */
export function quickInput({ bytes, contentType, facts }: RequestBody): number {
  if (contentType.startsWith('multipart/')) return Math.ceil(facts.text().length / bytesPerToken)
  if (bytes.byteLength <= smallBodyBytes) return Math.ceil(bytes.byteLength / bytesPerToken)
  const media = facts.media()
  return Math.ceil((bytes.byteLength - media.bytes) / bytesPerToken) + media.tokens
}

/** By the tokenizer, where money is short; bytes that are no natural text count as tokens. */
export async function countedInput(body: RequestBody, count: CountTokens): Promise<number> {
  const { facts, bytes } = body
  const tokens = (await estimateTokens(facts.text(), count)) * countMargin
  const { images } = mediaOf(body)
  const least = (bytes.byteLength - images.bytes - frameBytes) / mostBytesPerToken
  return Math.ceil(Math.max(tokens, least)) + facts.media().tokens
}
