import type { Usage } from '../../protocols/canonical/usage.ts'

export type CountTokens = (text: string) => Promise<number>

/** The most characters of a text that are counted; the rest is extrapolated. */
export const countedLength = 131_072

export interface TextSample {
  readonly sample: string
  readonly length: number
}

/** The number of places at which a longer text is sampled. */
const looks = 128
const lookLength = countedLength / looks
/** Random, so that a text can't be written to look cheap. */
const places = Array.from({ length: looks }, Math.random)

/** All of a text, or samples from all over it, the same for the same text. */
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

/** Tokenizers take quadratic time for such a text. */
const unbroken = /[\p{L}\p{M}]{256}|[^\p{L}\p{N}]{256}/u
const pieces = /.{1,128}/gsu

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

/** Cuts the largest count to what a model can have used; the same object if unchanged. */
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
