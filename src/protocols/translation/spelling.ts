import type { Setting } from '../canonical/request.ts'
import type { ProtocolName } from '../protocol.ts'

type Spelling = { readonly [setting in Setting]?: string }

const openAi: Spelling = {
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  logprobs: 'top_logprobs',
  metadata: 'metadata',
  userId: 'user',
  serviceTier: 'service_tier',
  promptCacheKey: 'prompt_cache_key',
}

/** What the clients of each protocol call them. */
const spellings: { readonly [protocol in ProtocolName]: Spelling } = {
  chat: {
    ...openAi,
    format: 'response_format',
    reasoning: 'reasoning_effort',
    maxOutputTokens: 'max_completion_tokens',
    stop: 'stop',
    presencePenalty: 'presence_penalty',
    frequencyPenalty: 'frequency_penalty',
    seed: 'seed',
    logitBias: 'logit_bias',
    logprobs: 'logprobs',
    choices: 'n',
    verbosity: 'verbosity',
  },
  responses: {
    ...openAi,
    format: 'text.format',
    reasoning: 'reasoning',
    maxOutputTokens: 'max_output_tokens',
    verbosity: 'text.verbosity',
  },
  messages: {
    toolChoice: 'tool_choice',
    parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
    format: 'output_config.format',
    reasoning: 'thinking',
    maxOutputTokens: 'max_tokens',
    stop: 'stop_sequences',
    temperature: 'temperature',
    topP: 'top_p',
    topK: 'top_k',
    userId: 'metadata.user_id',
    serviceTier: 'service_tier',
  },
  gemini: {
    toolChoice: 'toolConfig.functionCallingConfig',
    format: 'generationConfig.responseMimeType',
    reasoning: 'generationConfig.thinkingConfig',
    maxOutputTokens: 'generationConfig.maxOutputTokens',
    stop: 'generationConfig.stopSequences',
    temperature: 'generationConfig.temperature',
    topP: 'generationConfig.topP',
    topK: 'generationConfig.topK',
    presencePenalty: 'generationConfig.presencePenalty',
    frequencyPenalty: 'generationConfig.frequencyPenalty',
    seed: 'generationConfig.seed',
    logprobs: 'generationConfig.responseLogprobs',
    choices: 'generationConfig.candidateCount',
    metadata: 'labels',
  },
}

/** What the clients of each protocol call the conversation. */
export const conversationNames: { readonly [protocol in ProtocolName]: string } = {
  chat: 'messages',
  responses: 'input',
  messages: 'messages',
  gemini: 'contents',
}

/** A setting as the client wrote it, for messages to it. */
export function spell(client: ProtocolName, setting: Setting): string {
  return spellings[client][setting] ?? setting
}

/** Where a client asks for strict arguments of the tool at `at`. */
export function strictPath(client: ProtocolName, at: string): string {
  // The older `functions` of chat have it in themselves.
  return client === 'chat' && at.startsWith('tools') ? `${at}.function.strict` : `${at}.strict`
}

/** Where the schema of the tool, or of the answer, at `at` is. */
export function schemaPath(client: ProtocolName, at: string, isTool: boolean): string {
  if (!isTool) return client === 'gemini' ? at : `${at}.schema`
  if (client === 'messages') return `${at}.input_schema`
  return client === 'chat' && at.startsWith('tools')
    ? `${at}.function.parameters`
    : `${at}.parameters`
}

/** Where a client marks the part or tool at `at` for the prompt cache. */
export function cachePath(client: ProtocolName, at: string): string {
  return `${at}.${client === 'responses' ? 'prompt_cache_breakpoint' : 'cache_control'}`
}
