/** Who made a model: the word of filters, and the name for people. */
export interface Vendor {
  readonly id: string
  readonly name: string
}

/** Makers by the words of `data/vendor-prices.json`, of platforms, and of names such as `openai/gpt-5`. */
const names: Readonly<Record<string, string>> = {
  ...{ openai: 'OpenAI', anthropic: 'Anthropic', google: 'Google', 'x-ai': 'xAI' },
  ...{ mistral: 'Mistral', cohere: 'Cohere', moonshotai: 'Moonshot AI', minimax: 'MiniMax' },
  ...{ zai: 'Z.ai', voyageai: 'Voyage AI', perplexity: 'Perplexity', deepseek: 'DeepSeek' },
  ...{ qwen: 'Qwen', meta: 'Meta', arcee: 'Arcee', nvidia: 'NVIDIA', microsoft: 'Microsoft' },
  ...{ baai: 'BAAI', bytedance: 'ByteDance', tencent: 'Tencent', baidu: 'Baidu' },
}

const sameAs: Readonly<Record<string, string>> = {
  ...{ xai: 'x-ai', mistralai: 'mistral', 'meta-llama': 'meta', 'z-ai': 'zai', zhipu: 'zai' },
  ...{ gemini: 'google', claude: 'anthropic', moonshot: 'moonshotai', alibaba: 'qwen' },
}

/** Beginnings of models that several hosts sell; a host is not the maker. */
const families: readonly (readonly [start: RegExp, id: string])[] = [
  [/^(gpt-|chatgpt-|o[134](-|$)|dall-e|sora|whisper|tts-|text-embedding-)/i, 'openai'],
  [/^claude/i, 'anthropic'],
  [/^(gemini|gemma|imagen|veo)/i, 'google'],
  [/^(meta-)?llama/i, 'meta'],
  [/^deepseek/i, 'deepseek'],
  [/^(qwen|qwq)/i, 'qwen'],
  [/^(mistral|mixtral|ministral|codestral|pixtral|voxtral|magistral|devstral)/i, 'mistral'],
  [/^(kimi|moonshot)/i, 'moonshotai'],
  [/^glm/i, 'zai'],
  [/^grok/i, 'x-ai'],
  [/^minimax/i, 'minimax'],
  [/^command/i, 'cohere'],
]

/**
 * The maker of a model: by its name, its line in the price list, or its group's platform; undefined: unknown. Only
 * the public name counts: what a channel calls the model is nobody's business.
 */
export function vendorOf(
  model: string,
  listed: string | undefined,
  platform: string,
): Vendor | undefined {
  const slash = model.lastIndexOf('/')
  const bare = model.slice(slash + 1)
  const before = slash > 0 ? model.slice(0, slash).split('/').at(-1) : undefined
  const family = families.find(([start]) => start.test(bare))?.[1]
  return family ? known(family) : [before, listed, platform].map(known).find((one) => one)
}

function known(word: string | undefined): Vendor | undefined {
  const id = word?.toLowerCase() ?? ''
  const vendor = sameAs[id] ?? id
  const name = Object.hasOwn(names, vendor) ? names[vendor] : undefined
  return name === undefined ? undefined : { id: vendor, name }
}
