/** A name as readers see it that look at neither case nor form of its letters. */
export const foldName = (name: string): string =>
  (isPlain.test(name) ? name : name.normalize('NFKC')).toLowerCase()

const isPlain = /^[\w-]*$/

/** The same for the most lenient readers, for whom underscores do not count either. */
export const foldAll = (name: string): string => foldName(name).replaceAll('_', '')

/** A name in snake_case as it is in camelCase, … */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** … and the other way round. */
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

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

/**
 * The same in snake_case and in camelCase, each with its other spelling, if it has one: where they hold
 * objects, these are settings.
 */
export const settingsFields: ReadonlyMap<string, readonly string[]> = new Map(
  fields.flatMap((name) => {
    const written = [...new Set([camelCase(name), snakeCase(name)])]
    return written.map((one) => [one, written.filter((other) => other !== one)] as const)
  }),
)

/** Their names by how they fold. */
export const decidingFields: ReadonlyMap<string, string> = new Map(
  fields.map((name) => [foldName(name), name]),
)
