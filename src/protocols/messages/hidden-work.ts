import { allOfTypes, type HiddenWork, hasOnly, isPlain } from '../hidden-work.ts'
import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** Fields that make a model do nothing that is not in its stream. */
const shownFields = new Set([
  ...['model', 'messages', 'max_tokens', 'stream', 'system', 'stop_sequences', 'temperature'],
  ...['top_p', 'top_k', 'tools', 'tool_choice', 'metadata', 'thinking', 'output_config'],
  ...['service_tier', 'cache_control'],
])

/** What a request makes the vendor do unseen. */
export function hiddenWork(body: JsonObject): HiddenWork {
  const thinking = isJsonObject(body.thinking) ? body.thinking.type : body.thinking
  const isShown =
    hasOnly(body, shownFields) &&
    isPlain(thinking, 'disabled') &&
    isPlain(body.service_tier, 'standard_only', 'auto') &&
    allOfTypes(body.tools, [undefined, 'custom'])
  if (!isShown) return 'some'
  return thinking === 'disabled' ? 'none' : 'by_model'
}
