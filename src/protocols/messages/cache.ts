import type { CacheHint } from '../canonical/request.ts'
import { arrayIn, isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The lifetime of a `cache_control`; by default five minutes. */
export function decodeCache(holder: JsonObject): CacheHint | undefined {
  const control = objectIn(holder, 'cache_control')
  if (control?.type !== 'ephemeral') return undefined
  return control.ttl === '1h' ? '1h' : '5m'
}

/** The `cache_control` of a hint, to spread into a block or tool. */
export function encodeCache(cache: CacheHint | undefined): JsonObject {
  if (cache === undefined) return {}
  const control = { type: 'ephemeral' }
  return { cache_control: cache === '1h' ? { ...control, ttl: '1h' } : control }
}

/** Whether a block is reasoning, shown or withheld. */
export const isThinking = (type: unknown): boolean =>
  type === 'thinking' || type === 'redacted_thinking'

/**
 * Adds prompt cache marks: after the tools, after the system prompt, at the end of the previous request, and at
 * the end. The vendor looks 20 blocks back from a mark, and a turn may add more. A prefix below the vendor's
 * minimum gets none. Source: Anthropic, "Prompt caching".
 */
export function markCache(body: JsonObject, minimumTokens: number): JsonObject {
  const isReached = createMeasure(minimumTokens * leastBytesPerToken)
  const tools = arrayIn(body, 'tools')
  const marked = { ...body }
  if (tools.length > 0 && isReached(tools)) {
    marked.tools = tools.with(-1, { ...(tools.at(-1) as JsonObject), ...mark })
  }
  if (body.system !== undefined && isReached(body.system)) marked.system = markLast(body.system)
  marked.messages = markMessages(arrayIn(body, 'messages') as readonly JsonObject[], isReached)
  return marked
}

const mark = encodeCache('5m')

function markMessages(
  messages: readonly JsonObject[],
  isReached: (value: unknown) => boolean,
): readonly JsonObject[] {
  // The previous request ended there: the model, or its client, made what follows.
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1
  const end = messages.length - 1
  return messages.map((message, index) => {
    const isEnough = isReached(message.content)
    const isPlace = index === before || index === end
    return isPlace && isEnough ? { ...message, content: markLast(message.content) } : message
  })
}

function markLast(content: unknown): unknown {
  const blocks: readonly unknown[] = Array.isArray(content)
    ? content
    : [{ type: 'text', text: content }]
  const at = blocks.findLastIndex((block) => isJsonObject(block) && !isThinking(block.type))
  return at === -1 ? content : blocks.with(at, { ...(blocks[at] as JsonObject), ...mark })
}

/** A lower bound for text and schemas. A mark that comes too early costs nothing. */
const leastBytesPerToken = 2

/** A measure that reports when its values together reach so many bytes; it reads no further. */
function createMeasure(bytes: number): (value: unknown) => boolean {
  let left = bytes
  const visit = (value: unknown): void => {
    if (left <= 0) return
    if (typeof value === 'string') left -= bytesOf(value, left)
    else if (Array.isArray(value)) for (const item of value) visit(item)
    else if (isJsonObject(value)) {
      for (const name in value) {
        left -= name.length
        visit(value[name])
      }
    }
  }
  return (value) => {
    visit(value)
    return left <= 0
  }
}

function bytesOf(text: string, limit: number): number {
  let bytes = 0
  for (let at = 0; at < text.length && bytes < limit; at++) {
    bytes += text.charCodeAt(at) < 128 ? 1 : 3
  }
  return bytes
}
