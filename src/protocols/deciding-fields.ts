/** A name as readers see it that look at neither case nor form of its letters. */
export const foldName = (name: string): string =>
  (isPlain.test(name) ? name : name.normalize('NFKC')).toLowerCase()

const isPlain = /^[\w-]*$/

/** Fields at the top of a body that decide what is charged, in any protocol. */
const fields = [
  ...['model', 'models', 'n', 'best_of', 'stream', 'service_tier', 'serviceTier', 'speed'],
  ...['inference_geo', 'fallbacks', 'route', 'preset', 'provider', 'plugins', 'modalities'],
  ...['tools', 'tool_choice', 'functions', 'mcp_servers', 'web_search_options', 'background'],
  ...['search_parameters', 'enable_search', 'max_tokens', 'max_completion_tokens', 'thread'],
  ...['max_output_tokens', 'generationConfig', 'generation_config', 'cachedContent', 'store'],
  ...['cached_content', 'previous_response_id', 'conversation', 'moderation', 'partial_images'],
  ...['stream_options', 'reasoning', 'thinking', 'toolConfig', 'tool_config', 'max_tool_calls'],
  ...['size', 'quality'],
]

/** Their names by how they fold. */
export const decidingFields: ReadonlyMap<string, string> = new Map(
  fields.map((name) => [foldName(name), name]),
)
