import type { Usage } from '../../protocols/canonical/usage.ts'

/** Counts LLM tokens of a text; an estimate, by a tokenizer of the field. */
export type CountTokens = (text: string) => Promise<number>

/** Most characters of a text whose tokens are counted; the rest is extrapolated from them. */
export const countedLength = 131_072

/** As much of a text as is counted, and the length of the whole. */
export interface TextSample {
  readonly sample: string
  readonly length: number
}

/** A longer text is looked at in so many places, each somewhere in its part of it. */
const looks = 128
const lookLength = countedLength / looks
/** Where in their parts nobody knows who writes a text: a beginning that is cheap makes no whole so. */
const places = Array.from({ length: looks }, Math.random)

/** All of a text, or pieces from all over it. Of the same text it is always the same here. */
export function sampleOf(text: string): TextSample {
  const { length } = text
  if (length <= countedLength) return { sample: text, length }
  const part = length / looks
  const pieces = places.map((place, at) => {
    const start = Math.floor(at * part + place * (part - lookLength))
    return text.slice(start, start + lookLength)
  })
  return { sample: pieces.join(''), length }
}

/** Tokenizers need the square of the length of such a text. */
const unbroken = /[\p{L}\p{M}]{256}|[^\p{L}\p{N}]{256}/u
const pieces = /.{1,128}/gsu

/** Estimates the LLM tokens of a text, by its sample. */
export async function estimateTokens(
  { sample, length }: TextSample,
  count: CountTokens,
): Promise<number> {
  const counted = sample.slice(0, countedLength)
  if (counted === '') return 0
  let tokens = 0
  for (const piece of unbroken.test(counted) ? (counted.match(pieces) ?? []) : [counted]) {
    tokens += await count(piece)
  }
  return Math.round(tokens * (length / counted.length))
}

const inputKinds = [
  'inputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
] as const

/**
 * What a model can have used at the most; the largest count is cut. Unchanged it is the same
 * object.
 */
export function clampUsage(usage: Usage, contextWindow: number, answers: number): Usage {
  let input = 0
  for (const kind of inputKinds) input += usage[kind]
  const mostOutput = contextWindow * answers
  if (input <= contextWindow && usage.outputTokens <= mostOutput) return usage
  const outputTokens = Math.min(usage.outputTokens, mostOutput)
  const clamped = {
    ...usage,
    outputTokens,
    reasoningTokens: Math.min(usage.reasoningTokens, outputTokens),
  }
  let room = contextWindow
  for (const kind of inputKinds.toSorted((a, b) => usage[a] - usage[b])) {
    clamped[kind] = Math.min(usage[kind], room)
    room -= clamped[kind]
  }
  return clamped
}
