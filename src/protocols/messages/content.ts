import { refuseValue } from '../canonical/error.ts'
import type { NativeFeature } from '../canonical/native.ts'
import type { CacheHint } from '../canonical/request.ts'
import { isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** Notes a use of something that only this protocol has, by its path. */
export type Note = (feature: NativeFeature, at: string) => void

/** What `decode` makes of the blocks of a content; a string is one block of text. */
export function contentParts<P>(
  content: unknown,
  at: string,
  decode: (block: JsonObject, path: string) => readonly P[],
): readonly P[] {
  if (typeof content === 'string') return decode({ type: 'text', text: content }, at)
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) refuseValue(at, 'a string or an array of content blocks')
  return content.flatMap((block: unknown, index) => {
    const path = `${at}[${index}]`
    return isJsonObject(block) ? decode(block, path) : refuseValue(path, 'a content block')
  })
}

/** The life of a `cache_control`; without a stated one it is five minutes. */
export function decodeCache(holder: JsonObject): CacheHint | undefined {
  const control = objectIn(holder, 'cache_control')
  if (control?.type !== 'ephemeral') return undefined
  return control.ttl === '1h' ? '1h' : '5m'
}

/**
 * Whether a block is of a tool that the vendor runs, or of its way to keep a context. Source: the SDK's
 * `BetaContentBlockParam`; results are `web_search_tool_result`, `mcp_tool_result` and so on.
 */
function isVendorBlock(type: unknown): boolean {
  return typeof type === 'string' && vendorBlocks.has(type)
}

/** What a block is that belongs to this vendor alone, or is not known. */
export function nativeBlock({ type }: JsonObject): NativeFeature {
  if (typeof type === 'string' && (hostedBlocks.has(type) || type.endsWith('_tool_result'))) {
    return 'hosted_item'
  }
  return isVendorBlock(type) ? 'vendor_item' : 'unknown_part'
}

const hostedBlocks = new Set([
  'server_tool_use',
  'mcp_tool_use',
  'mcp_tool_listing',
  'container_upload',
])

const vendorBlocks = new Set([
  'compaction',
  'tool_addition',
  'tool_removal',
  'tool_reference',
  'browser_state',
  'fallback',
])

/** A text that must be there. Throws `TranslationError`. */
export function textOf(block: JsonObject, key: string, at: string): string {
  const value = block[key]
  return typeof value === 'string' ? value : refuseValue(`${at}.${key}`, 'a string')
}

/** A text that may not be empty. */
export function nameOf(block: JsonObject, key: string, at: string): string {
  return stringIn(block, key) ?? refuseValue(`${at}.${key}`, 'a non-empty string')
}
