import type { NativeFeature } from '../canonical/native.ts'

/** What an item is that belongs to this vendor alone, by its type. Source: OpenAI's API reference. */
export function nativeItem(type: string): NativeFeature {
  if (type === 'item_reference') return 'stored_state'
  // The conversation's beginning in a form that only the vendor can read, or the wish for one.
  if (type.startsWith('compaction')) return 'context_management'
  return ofVendorTools.test(type) ? 'vendor_item' : 'unknown_part'
}

/**
 * Calls of tools that the vendor runs (`web_search_call`, `mcp_call` …) or whose kind is its own
 * (`local_shell_call`, `apply_patch_call` …), their outputs, and what goes with them.
 */
const ofVendorTools = /_call(_output)?$|^mcp_|^tool_search_|^program(_output)?$/
