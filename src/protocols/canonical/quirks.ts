import type { ProtocolName } from '../protocol.ts'

interface QuirkInfo {
  /** `all`: for any protocol. */
  readonly protocol: ProtocolName | 'all'
  readonly title: string
}

const of =
  <P extends QuirkInfo['protocol']>(protocol: P) =>
  (title: string) => ({ protocol, title })
const ofChat = of('chat')
const ofMessages = of('messages')
const ofResponses = of('responses')

/** How upstreams deviate from their protocol's vendor, in translated bodies and in how they are called. */
export const quirks = {
  max_tokens: ofChat('takes max_tokens, not max_completion_tokens'),
  no_developer_role: ofChat('knows the role system only, not developer'),
  reasoning_content: ofChat(
    'wants the reasoning of earlier turns back in reasoning_content (DeepSeek, Moonshot)',
  ),
  image_tool_results: ofChat(
    'takes images in the result of a tool; without it they follow in a user message',
  ),
  text_only: ofChat('takes text only: requests with images, documents or sound are refused'),
  no_json_schema: ofChat('has JSON mode but no schemas for it: requests with a schema are refused'),
  no_stream_usage: ofChat('does not know stream_options'),
  cache_control: ofChat('takes cache_control in content parts and tools (OpenRouter)'),
  prompt_cache_key: ofChat('takes prompt_cache_key (OpenAI and Azure, where it needs no mention)'),
  no_prompt_cache_key: ofResponses('gets no prompt_cache_key but the client’s own'),
  no_reasoning_summary: ofResponses(
    'refuses reasoning.summary (OpenAI, where the organisation is not verified)',
  ),
  no_cache_control: ofMessages(
    'gets no cache_control (marks for the prompt cache) but the client’s own',
  ),
  text_completions: ofChat(
    'answers POST /completions (legacy) itself; others are asked by chat completions for it',
  ),
  thinking_budget: ofMessages(
    'takes thinking with a budget only, no adaptive thinking and no effort',
  ),
  gemini_budget: of('gemini')('takes a thinkingBudget, no thinkingLevel (Gemini 2.5)'),
  web_search: of('all')('runs web searches for all of its models (responses, messages, gemini)'),
} as const satisfies Record<string, QuirkInfo>

export type Quirk = keyof typeof quirks

export const quirkNames = Object.keys(quirks) as readonly Quirk[]

const none: readonly Quirk[] = []

/** The known ones among a channel's. */
export const quirksAmong = (names: readonly string[]): readonly Quirk[] =>
  names.length === 0 ? none : quirkNames.filter((quirk) => names.includes(quirk))
