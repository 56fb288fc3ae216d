/** What a model makes. */
export type ModelKind = 'answers' | 'embeddings' | 'images'

/**
 * What a model of this name makes, by how vendors name theirs: `text-embedding-3-small`,
 * `gemini-embedding-001`, `mistral-embed`; `gpt-image-1`, `dall-e-3`, `imagen-4`. Models that answer with
 * images beside text (`gemini-2.5-flash-image`) are asked like others.
 */
export function kindOf(model: string): ModelKind {
  if (embeds.test(model)) return 'embeddings'
  return draws.test(model) ? 'images' : 'answers'
}

const embeds = /(^|[-/@.:_])embed(ding)?s?([-/@.:_]|$)/i
const draws = /(^|[/@.:_])(gpt-image|dall-e|imagen)(-|$)/i
