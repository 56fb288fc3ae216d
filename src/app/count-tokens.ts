/** Estimates LLM tokens by o200k, which is loaded on first use. Bills use the upstream's report. */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  // Special tokens (`<|endoftext|>`) in a text count as plain text.
  return count(text, { disallowedSpecial: new Set() })
}
