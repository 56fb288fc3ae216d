/**
 * What only one of the protocols can say. A channel of that protocol gets it untouched; for all
 * others the table in `translation/features.ts` says whether it is left out or refused.
 */
export const nativeFeatures = [
  /** Tools that the vendor itself runs: web search, code execution, file search, MCP servers. */
  'hosted_tool',
  /** Tools of the vendor's own kind that the client runs: shell, patch, computer, memory. */
  'vendor_tool',
  /** Items or blocks in the conversation that belong to tools that the client runs. */
  'vendor_item',
  /** Tools that the model is told of when a search refers to them (messages). */
  'deferred_tool',
  /** Calls and results of the vendor's search for such tools. */
  'tool_search_item',
  /** Items or blocks in the conversation of tools that the vendor has run. */
  'hosted_item',
  /** What a search of the vendor's has found, in the conversation. */
  'search_history',
  /** `previous_response_id`, `conversation`, `item_reference`, `thread`, `background`. */
  'stored_state',
  /** `store: true`: the vendor keeps the answer. */
  'store',
  /** A prompt that is kept with the vendor. */
  'stored_prompt',
  /** A file that was uploaded to the vendor, by its id or address there. */
  'uploaded_file',
  /** A context cache that is kept with the vendor (gemini's `cachedContent`). */
  'cached_content',
  /** Answers in sound or images. */
  'output_modality',
  /** The vendor shortens the context: `truncation: auto`, `context_management`, compaction. */
  'context_management',
  /** A part of the answer that is known beforehand (chat's `prediction`). */
  'prediction',
  /** What the vendor shall hold back (gemini). */
  'safety_settings',
  /** What an answer shall report beside its text (`include`), where nobody misses it. */
  'include',
  /** Reasoning that is signed or encrypted by another vendor than the channel's. */
  'foreign_signature',
  /** A line in the system prompt that only the vendor reads (Claude Code's). */
  'billing_line',
  /** A field that this protocol has no name for, or one of no consequence elsewhere. */
  'unknown_field',
  /** A content part, item or block of a kind that is not known here. */
  'unknown_part',
] as const

export type NativeFeature = (typeof nativeFeatures)[number]
