import type { ProtocolName } from './channel-fields.ts'

/** A vendor that people begin with. */
export interface Vendor {
  /** Base URL for each protocol, as its own SDK has it. */
  readonly speaks: { readonly [protocol in ProtocolName]?: string }
  /** Where one gets a key; null: any key will do. */
  readonly keyPage: string | null
  /** How its keys begin. */
  readonly keyExample: string
  /** Runs on the operator's machines. */
  readonly isPrivate?: boolean
  /** How it differs from the vendor of its protocol. */
  readonly quirks?: readonly string[]
}

/** Well-known vendors, in the order in which they are offered. Sources: their own documentation. */
export const vendorList = {
  OpenAI: {
    speaks: { chat: 'https://api.openai.com/v1', responses: 'https://api.openai.com/v1' },
    keyPage: 'https://platform.openai.com/api-keys',
    keyExample: 'sk-proj-…',
  },
  Anthropic: {
    speaks: { messages: 'https://api.anthropic.com' },
    keyPage: 'https://console.anthropic.com/settings/keys',
    keyExample: 'sk-ant-…',
  },
  'Google Gemini': {
    speaks: { gemini: 'https://generativelanguage.googleapis.com' },
    keyPage: 'https://aistudio.google.com/apikey',
    keyExample: 'AIza…',
  },
  OpenRouter: {
    speaks: { chat: 'https://openrouter.ai/api/v1' },
    keyPage: 'https://openrouter.ai/settings/keys',
    keyExample: 'sk-or-v1-…',
    quirks: ['cache_control'],
  },
  DeepSeek: {
    speaks: {
      chat: 'https://api.deepseek.com/v1',
      messages: 'https://api.deepseek.com/anthropic',
    },
    keyPage: 'https://platform.deepseek.com/api_keys',
    keyExample: 'sk-…',
    quirks: ['max_tokens', 'no_developer_role', 'reasoning_content'],
  },
  Moonshot: {
    speaks: {
      chat: 'https://api.moonshot.cn/v1',
      messages: 'https://api.moonshot.cn/anthropic',
    },
    keyPage: 'https://platform.moonshot.cn/console/api-keys',
    keyExample: 'sk-…',
    quirks: ['reasoning_content'],
  },
  Ollama: {
    speaks: { chat: 'http://localhost:11434/v1' },
    keyPage: null,
    keyExample: 'ollama',
    isPrivate: true,
  },
} as const satisfies Readonly<Record<string, Vendor>>
