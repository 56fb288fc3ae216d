/**
 * Tools that a vendor runs itself and may bill by use: one name for the same thing at every vendor.
 * Prices, groups, receipts and usage call them so. Counted is what the vendor bills.
 */
export const hostedTools = [
  /**
   * OpenAI `web_search`, Anthropic `web_search_*`, Google `google_search` and its like: each search; of
   * Gemini before version 3 each prompt that searched.
   */
  'web_search',
  /** OpenAI's `web_search_preview`, which is billed apart. */
  'web_search_preview',
  /** Search on X (xAI). */
  'x_search',
  'web_fetch',
  /** Google's reading of addresses in the prompt. */
  'url_context',
  /**
   * A container or sandbox: OpenAI `code_interpreter` and `shell`, Anthropic and Google
   * `code_execution`: each container that an answer used, one of 4 GB counts 4.
   */
  'code_execution',
  /** Search in stored documents: OpenAI and Google `file_search`. */
  'file_search',
  /** Each image. */
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
