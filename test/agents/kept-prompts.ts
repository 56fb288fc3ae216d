import { emptyUsage, type Usage } from '../../src/protocols/canonical/usage.ts'
import { arrayIn } from '../../src/protocols/json.ts'
import type { JsonObject, ProtocolName } from '../../src/protocols/protocol.ts'
import { type Body, createPromptCache } from '../support/caching-upstream.ts'
import { promptTokens } from '../support/prompt-size.ts'

/** The upstream's model of each protocol, whose rules are kept. */
export const upstreamModels: Readonly<Record<ProtocolName, string>> = {
  chat: 'gpt-5.1',
  responses: 'gpt-5.1',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-pro',
}

/** An empty cache of the vendor whose protocol this is. */
export function createInputMeter(protocol: ProtocolName): (body: JsonObject) => Usage {
  if (protocol !== 'messages') return createPrefixMeter(protocol)
  const cache = createPromptCache(1024, Date.now)
  return (body) => {
    const counted = cache.count(body as Body)
    return {
      ...emptyUsage,
      inputTokens: counted.input_tokens,
      cacheReadTokens: counted.cache_read_input_tokens,
      cacheWriteTokens: counted.cache_creation_input_tokens,
    }
  }
}

/**
 * Caching that nobody asks for. OpenAI: from 1,024 LLM tokens on in steps of 128, among requests of
 * one `prompt_cache_key`; Gemini 2.5 Pro: from 2,048 on. Sources: OpenAI, "Prompt caching"; Google,
 * "Context caching".
 */
function createPrefixMeter(protocol: 'chat' | 'responses' | 'gemini'): (body: JsonObject) => Usage {
  const [minimum, step] = protocol === 'gemini' ? [2048, 1] : [1024, 128]
  const kept = new Map<unknown, (readonly string[])[]>()
  return (body) => {
    const parts = partsOf[protocol](body)
    const texts = parts.map((part) => JSON.stringify(part))
    const sizes = parts.map(promptTokens)
    const earlier = kept.getOrInsert(body.prompt_cache_key, [])
    const shared = Math.max(0, ...earlier.map((other) => sharedTokens(texts, other, sizes)))
    earlier.push(texts)
    const read = shared < minimum ? 0 : shared - (shared % step)
    const whole = sizes.reduce((sum, size) => sum + size, 0)
    return { ...emptyUsage, inputTokens: whole - read, cacheReadTokens: read }
  }
}

/** The parts of a prompt in its order. */
const partsOf = {
  chat: (body: JsonObject) => [...arrayIn(body, 'tools'), ...arrayIn(body, 'messages')],
  responses: (body: JsonObject) => [
    ...[...arrayIn(body, 'tools'), body.instructions ?? ''],
    ...arrayIn(body, 'input'),
  ],
  gemini: (body: JsonObject) => [
    ...[body.systemInstruction ?? '', ...arrayIn(body, 'tools')],
    ...arrayIn(body, 'contents'),
  ],
}

/** How much of the beginning of `texts` is the beginning of `others`, in LLM tokens. */
function sharedTokens(
  texts: readonly string[],
  others: readonly string[],
  sizes: readonly number[],
): number {
  let tokens = 0
  for (const [at, text] of texts.entries()) {
    const size = sizes[at] ?? 0
    const other = others[at] ?? ''
    if (text !== other) return tokens + Math.floor((size * sharedLength(text, other)) / text.length)
    tokens += size
  }
  return tokens
}

function sharedLength(text: string, other: string): number {
  let length = 0
  while (length < text.length && text[length] === other[length]) length++
  return length
}
