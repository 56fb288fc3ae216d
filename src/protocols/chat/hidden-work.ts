import { allOfTypes, type HiddenWork, hasOnly, isPlain } from '../hidden-work.ts'
import type { JsonObject } from '../protocol.ts'

/** Fields that make a model do nothing that is not in its stream. */
const shownFields = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n'],
  ...['temperature', 'top_p', 'top_k', 'stop', 'presence_penalty', 'frequency_penalty', 'seed'],
  ...[
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'response_format',
    'verbosity',
    'metadata',
    'store',
  ],
  ...['user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'service_tier'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'],
  ...['modalities', 'reasoning_effort'],
])

/** What a request makes the vendor do unseen. */
export function hiddenWork(body: JsonObject): HiddenWork {
  const { modalities, reasoning_effort: effort, service_tier: tier } = body
  const isShown =
    hasOnly(body, shownFields) &&
    isPlain(tier, 'default', 'auto') &&
    isPlain(effort, 'none') &&
    (isPlain(modalities) || (Array.isArray(modalities) && modalities.every((m) => m === 'text'))) &&
    allOfTypes(body.tools, ['function', 'custom'])
  if (!isShown) return 'some'
  return effort === 'none' ? 'none' : 'by_model'
}
