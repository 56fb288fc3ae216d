/**
 * Tools that a vendor runs itself and may bill by use: one name for the same thing at every vendor.
 * Prices, groups, receipts and usage call them so.
 */
export const hostedTools = [
  /** OpenAI `web_search`, Anthropic `web_search_*`, Google `google_search` and its like. */
  'web_search',
  /** OpenAI's `web_search_preview`, which is billed apart. */
  'web_search_preview',
  /** Search on X (xAI). */
  'x_search',
  'web_fetch',
  /** Google's reading of addresses in the prompt. */
  'url_context',
  /** A container or sandbox: OpenAI `code_interpreter` and `shell`, Anthropic and Google `code_execution`. */
  'code_execution',
  /** Search in stored documents: OpenAI and Google `file_search`. */
  'file_search',
  'image_generation',
  'computer_use',
  'maps_grounding',
  /** Servers that the vendor calls for the model. */
  'mcp',
  'tool_search',
] as const
export type HostedTool = (typeof hostedTools)[number]

/** Whether a name is one of `hostedTools`. */
export function isHostedTool(name: string): name is HostedTool {
  return hostedTools.some((each) => each === name)
}
