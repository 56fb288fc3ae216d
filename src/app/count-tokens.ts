/** Estimates LLM tokens by o200k, which is loaded on first use. Bills use the upstream's report. */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  // A text may name the tokenizer's own marks (`<|endoftext|>`): here they are text like any other.
  return count(text, { disallowedSpecial: new Set() })
}
