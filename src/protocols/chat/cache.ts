import type { CacheHint } from '../canonical/request.ts'
import { objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * The mark for the prompt cache on a part, message or tool: OpenRouter's `cache_control`, or
 * OpenAI's `prompt_cache_breakpoint`, whose lives are longer (30 minutes at the least).
 */
export function cacheHint(value: JsonObject): CacheHint | undefined {
  const control = objectIn(value, 'cache_control')
  if (control !== undefined) return control.ttl === '1h' ? '1h' : '5m'
  const breakpoint = objectIn(value, 'prompt_cache_breakpoint')
  if (breakpoint === undefined) return undefined
  return typeof breakpoint.ttl === 'string' ? '1h' : '5m'
}

/** The mark as OpenRouter takes it. */
export function cacheControl(hint: CacheHint): JsonObject {
  return hint === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' }
}
