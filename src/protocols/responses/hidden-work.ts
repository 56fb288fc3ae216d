import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { allOfTypes, type HiddenWork, hasOnly, isPlain } from '../request-facts.ts'
import { itemIdsIn } from './item-ids.ts'

/** Fields that make a model do nothing that is not in its stream, of input that is in the request. */
const shownFields = new Set([
  ...['model', 'input', 'instructions', 'stream', 'stream_options', 'max_output_tokens', 'text'],
  ...['temperature', 'top_p', 'top_logprobs', 'truncation', 'include', 'metadata', 'store'],
  ...['user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'service_tier'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'background'],
])

/** What a request makes the vendor do unseen. */
export function hiddenWork(body: JsonObject): HiddenWork {
  const { reasoning, service_tier: tier } = body
  const effort = isJsonObject(reasoning) ? reasoning.effort : reasoning
  const isShown =
    hasOnly(body, shownFields) &&
    isPlain(body.background, false) &&
    isPlain(tier, 'default', 'auto') &&
    isPlain(effort, 'none') &&
    itemIdsIn(body).references.length === 0 &&
    allOfTypes(body.tools, ['function', 'custom'])
  if (!isShown) return 'some'
  return effort === 'none' ? 'none' : 'by_model'
}
