/**
 * Counts LLM tokens of a text by a tokenizer of the field (o200k). For estimates only: a bill goes
 * by the upstream's own report wherever there is one. Loaded on first use: its tables are large.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  // A text may name the tokenizer's own marks (`<|endoftext|>`): here they are text like any other.
  return count(text, { disallowedSpecial: new Set() })
}
