import type { NativeFeature } from '../canonical/request.ts'

/** What an item is that belongs to this vendor alone, by its type, and who ran its tool. Source: OpenAI's API reference. */
export function nativeItem(type: string, execution?: unknown): NativeFeature {
  if (type === 'item_reference') return 'stored_state'
  // The conversation's beginning in a form that only the vendor can read, or the wish for one.
  if (type.startsWith('compaction')) return 'context_management'
  if (!ofVendorTools.test(type)) return 'unknown_part'
  return execution === 'client' || ofClientTools.test(type) ? 'vendor_item' : 'hosted_item'
}

/** Of these the ones that the client runs, or may run. */
const ofClientTools = /^(local_shell|shell|apply_patch|computer)_call(_output)?$/

/**
 * Calls of tools that the vendor runs (`web_search_call`, `mcp_call` …) or whose kind is its own
 * (`local_shell_call`, `apply_patch_call` …), their outputs, and what goes with them.
 */
const ofVendorTools = /_call(_output)?$|^mcp_|^tool_search_|^program(_output)?$/
