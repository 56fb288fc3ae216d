/**
 * How long a part of a request is as a prompt, in LLM tokens of four characters: its words, the names
 * and values of its schemas and arguments. What a protocol says about it (ids, roles, signatures, that
 * arguments are JSON in a string) is not prompt, so that the same words count alike in all protocols.
 */
export const promptTokens = (part: unknown): number => Math.ceil(charactersOf(part) / 4)

const notPrompt = new Set([
  ...['id', 'call_id', 'tool_call_id', 'tool_use_id', 'role', 'status', 'strict', 'cache_control'],
  ...['signature', 'thoughtSignature', 'encrypted_content'],
])

function charactersOf(value: unknown): number {
  if (typeof value === 'string') {
    const inner = value.startsWith('{') ? parsed(value) : undefined
    return inner === undefined ? value.length : charactersOf(inner)
  }
  if (typeof value !== 'object' || value === null) return String(value ?? '').length
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + charactersOf(item), 0)
  return Object.entries(value).reduce(
    (sum, [name, item]) => (notPrompt.has(name) ? sum : sum + name.length + charactersOf(item)),
    0,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
