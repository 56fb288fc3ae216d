import { refuseValue, TranslationError } from '../canonical/error.ts'
import type { JsonObject } from '../protocol.ts'
import { type LegacyFeature, legacyFeatures } from '../translation/features.ts'

/** So long an answer is that sets no limit, by the vendor's default. */
export const usualLimit = 16

/**
 * The prompt of a legacy completion for a model that is asked in the protocol of its channel. Throws
 * `TranslationError` for what only the legacy form has.
 */
export function refuseOwn(body: JsonObject): string {
  const { prompt, suffix, echo, best_of: best, logprobs, n } = body
  const [text = prompt] = Array.isArray(prompt) ? prompt : [prompt]
  if (typeof text !== 'string') throw refused('prompt', 'prompt_tokens')
  if (text === '') refuseValue('prompt', 'a text that is not empty')
  if (typeof suffix === 'string' && suffix !== '') throw refused('suffix', 'suffix')
  if (echo === true) throw refused('echo', 'echo')
  if (typeof best === 'number' && best > (typeof n === 'number' ? n : 1))
    throw refused('best_of', 'best_of')
  if (logprobs !== undefined && logprobs !== null && logprobs !== false)
    throw refused('logprobs', 'logprobs')
  return text
}

function refused(param: string, feature: LegacyFeature): TranslationError {
  const { title, note } = legacyFeatures[feature] as { title: string; note?: string }
  return new TranslationError({
    code: 'unsupported_parameter',
    param,
    message: `${param}: this model is not asked in the legacy form, and no other has this (${title}${note ? `: ${note}` : ''}). Leave it out.`,
  })
}
