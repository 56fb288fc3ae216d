/** What a vendor's channel looks like: protocols with base URLs, and models to begin with. */
export interface Vendor {
  readonly name: string
  readonly speaks: Readonly<Partial<Record<ProtocolName, string>>>
  /** For the placeholder of the list of models. */
  readonly models: readonly string[]
}

export const protocols = ['chat', 'responses', 'messages', 'gemini'] as const
export type ProtocolName = (typeof protocols)[number]

/** What each protocol is called where people know it. */
export const protocolTitles: Readonly<Record<ProtocolName, string>> = {
  chat: 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages (Anthropic)',
  gemini: 'Gemini',
}

/** Public addresses of well-known vendors, each as its own SDK has it. */
export const vendors: readonly Vendor[] = [
  {
    name: 'OpenAI',
    speaks: { chat: 'https://api.openai.com/v1', responses: 'https://api.openai.com/v1' },
    models: ['gpt-5', 'gpt-5-mini'],
  },
  {
    name: 'Anthropic',
    speaks: { messages: 'https://api.anthropic.com' },
    models: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
  },
  {
    name: 'Google Gemini',
    speaks: { gemini: 'https://generativelanguage.googleapis.com' },
    models: ['gemini-2.5-pro', 'gemini-2.5-flash'],
  },
  {
    name: 'DeepSeek',
    speaks: { chat: 'https://api.deepseek.com/v1', messages: 'https://api.deepseek.com/anthropic' },
    models: ['deepseek-chat', 'deepseek-reasoner'],
  },
  {
    name: 'Moonshot',
    speaks: { chat: 'https://api.moonshot.cn/v1', messages: 'https://api.moonshot.cn/anthropic' },
    models: ['kimi-k2-0905-preview'],
  },
  {
    name: 'OpenRouter',
    speaks: { chat: 'https://openrouter.ai/api/v1' },
    models: ['openai/gpt-5-mini'],
  },
]
