const audio = 'its tokens are audio, which costs more than the text price here'
const tuned = 'ids of fine-tuned models have no end that a list could hold'
const resold = "not an id of the vendor's own API: the figure is a reseller's"

/**
 * Models left out by hand, with the reason: what the package says about them in words, or not at
 * all. Keys are `vendor/id of the package`. A key that names no model stops the script.
 */
export const exclusions: { readonly [model: string]: string } = {
  'arcee/deepseek/deepseek-v4-flash-latest': "another maker's model",
  'deepseek/deepseek-v3.1-terminus': resold,
  'deepseek/deepseek-v3.2': resold,
  'deepseek/deepseek-v3.2-exp': resold,
  'minimax/MiniMax-M2.1-highspeed': 'inferred by the package from a price in CNY',
  'moonshotai/kimi-k2': resold,
  'openai/ft:gpt-3.5-turbo-': tuned,
  'openai/ft:gpt-4o': tuned,
  'openai/ft:gpt-4o-mini': tuned,
  'openai/gpt-4o-mini-2024-07-18.ft-': tuned,
  'openai/gpt-4o-audio-preview': audio,
  'openai/gpt-4o-mini-audio-preview': audio,
  'zai/GLM-5.3-Flash': 'half price of a promotion that ended on 2026-09-09, says the package',
}

/** Comments by which the package says that a price is not the vendor's. */
export const doubtful = /open ?router|can't find|\bwe assume\b/i

/** Providers of the package that are not read, with the reason. */
export const unread: { readonly [provider: string]: string } = {
  zhipuai: 'list prices are in CNY; the package converts the lowest tier at a fixed rate',
  cursor: 'prices of a tool, not of an API',
  'github-copilot': 'prices of a tool, not of an API',
  aws: 'other ids, and prices that differ by region',
  azure: "sells other makers' models under the makers' ids",
}
/** Why all other providers are not read. */
export const resellers = "sells other makers' models: no list price of the vendor"
