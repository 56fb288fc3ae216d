/** Counts LLM tokens of a text; an estimate, by a tokenizer of the field. */
export type CountTokens = (text: string) => Promise<number>

/** So many characters are counted; what follows is taken to be like them. */
export const countedLength = 131_072

/** A text's beginning, as much of it as is counted, and the length of the whole. */
export interface TextSample {
  readonly sample: string
  readonly length: number
}

export const sampleOf = (text: string): TextSample => ({
  sample: text.slice(0, countedLength),
  length: text.length,
})

/**
 * What a tokenizer can't split (letters without a space, a wall of signs) takes it time in the
 * square of its length: 65,536 Chinese characters without punctuation, a minute.
 */
const unbroken = /[\p{L}\p{M}]{256}|[^\p{L}\p{N}]{256}/u
const pieces = /.{1,128}/gsu

/** Estimates the LLM tokens of a text, of which `sample` is at least the beginning. */
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
