import type { JsonObject } from './protocol.ts'

/**
 * Fields at the top of a body that are settings, or whose meaning is read elsewhere: what they hold is
 * written out in the body, and names nothing that the model would read beside it.
 */
export const bodySettings: ReadonlySet<string> = new Set([
  ...['model', 'models', 'provider', 'route', 'transforms', 'trace', 'betas', 'anthropic_beta'],
  ...['anthropic_version', 'metadata', 'client_metadata', 'labels', 'user', 'safety_identifier'],
  ...['tools', 'functions', 'tool_choice', 'function_call', 'toolConfig', 'tool_config'],
  ...['mcp_servers', 'web_search_options', 'search_settings', 'context_management'],
  ...['stop', 'stop_sequences', 'stream_options', 'include', 'logit_bias', 'truncation'],
  ...['reasoning', 'reasoning_effort', 'reasoning_format', 'thinking', 'verbosity', 'modalities'],
  ...['audio', 'prediction', 'response_format', 'text', 'output_config', 'output_format'],
  ...['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'structured_outputs'],
  ...['chat_template_kwargs', 'generationConfig', 'generation_config', 'usage', 'moderation'],
  ...['safetySettings', 'safety_settings', 'modelArmorConfig', 'model_armor_config'],
  ...['service_tier', 'serviceTier', 'speed', 'inference_geo', 'cache_control'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options'],
  // Of embeddings.
  ...['encoding_format', 'input_type', 'task', 'task_type', 'taskType', 'title', 'truncate'],
  ...['embedding_type', 'embedding_types', 'embedContentConfig', 'output_dtype', 'text_type'],
])

/**
 * Whether all of a body is known: its content, which is looked at by itself, and settings. Numbers and
 * switches are settings by any name; another text, list or object may name what the vendor reads.
 */
export function hasOnlyKnown(body: JsonObject, content: ReadonlySet<string>): boolean {
  for (const name in body) {
    const value = body[name]
    if (value === null || typeof value === 'number' || typeof value === 'boolean') continue
    if (!bodySettings.has(name) && !content.has(name)) return false
  }
  return true
}
