import type { Setting } from '../canonical/request.ts'
import type { ProtocolName } from '../protocol.ts'

type Spelling = { readonly [setting in Setting]?: string }

/** `parallelToolCalls` → `parallel_tool_calls`. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What the clients of each protocol call a setting, where it is not the setting's name in snake_case … */
const spellings: { readonly [protocol in ProtocolName]: Spelling } = {
  chat: {
    ...{ format: 'response_format', reasoning: 'reasoning_effort', choices: 'n', userId: 'user' },
    maxOutputTokens: 'max_completion_tokens',
  },
  responses: {
    ...{ format: 'text.format', verbosity: 'text.verbosity', userId: 'user' },
    logprobs: 'top_logprobs',
  },
  messages: {
    parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
    ...{ format: 'output_config.format', reasoning: 'thinking', stop: 'stop_sequences' },
    ...{ maxOutputTokens: 'max_tokens', userId: 'metadata.user_id' },
  },
  // … or in `generationConfig` by its own.
  gemini: {
    ...{ toolChoice: 'toolConfig.functionCallingConfig', metadata: 'labels' },
    format: 'generationConfig.responseMimeType',
    reasoning: 'generationConfig.thinkingConfig',
    stop: 'generationConfig.stopSequences',
    logprobs: 'generationConfig.responseLogprobs',
    choices: 'generationConfig.candidateCount',
    serviceTier: 'serviceTier',
  },
}

/** What the clients of each protocol call the conversation. */
export const conversationNames: { readonly [protocol in ProtocolName]: string } = {
  ...{ chat: 'messages', responses: 'input', messages: 'messages', gemini: 'contents' },
}

/** A setting as the client wrote it, for messages to it. */
export function spell(client: ProtocolName, setting: Setting): string {
  const own = spellings[client][setting]
  if (own !== undefined) return own
  return client === 'gemini' ? `generationConfig.${setting}` : snake(setting)
}

/** Where a client asks for strict arguments of the tool at `at`. */
export function strictPath(client: ProtocolName, at: string): string {
  return `${functionAt(client, at)}.strict`
}

/** Where the schema of the tool, or of the answer, at `at` is. */
export function schemaPath(client: ProtocolName, at: string, isTool: boolean): string {
  if (!isTool) return client === 'gemini' ? at : `${at}.schema`
  return client === 'messages' ? `${at}.input_schema` : `${functionAt(client, at)}.parameters`
}

/** Chat puts a function inside of its tool; the older `functions` have it in themselves. */
const functionAt = (client: ProtocolName, at: string) =>
  client === 'chat' && at.startsWith('tools') ? `${at}.function` : at

/** Where a client marks the part or tool at `at` for the prompt cache. */
export function cachePath(client: ProtocolName, at: string): string {
  return `${at}.${client === 'responses' ? 'prompt_cache_breakpoint' : 'cache_control'}`
}
