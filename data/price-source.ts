import { calcPrice, type ModelInfo, type Provider, waitForUpdate } from '@pydantic/genai-prices'
import { devDependencies } from '../package.json' with { type: 'json' }

/** Package and version that the prices come from. */
export const sourceName = `@pydantic/genai-prices@${devDependencies['@pydantic/genai-prices']}`

/** A vendor of its own models. */
export interface Maker {
  readonly vendor: string
  /** How it dates ids (marks as in `vendor-dates`), and which undated ids come so. */
  readonly dates: readonly { readonly suffix: string; readonly stems: RegExp }[]
}

const claude = /^claude-[a-z\d-]+$/
const gemini = /^gemini-[\d.]+-(?:pro|flash)(?:-lite|-thinking)?$/

/**
 * In order of precedence: an id belongs to the first maker that the package would price it by,
 * whoever else sells it.
 */
export const makers: readonly Maker[] = [
  { vendor: 'openai', dates: [{ suffix: '-YYYY-MM-DD', stems: /^/ }] },
  {
    vendor: 'anthropic',
    dates: [
      { suffix: '-YYYYMMDD', stems: claude },
      { suffix: '@YYYYMMDD', stems: claude },
      { suffix: '-latest', stems: /^claude-3-\d-/ },
    ],
  },
  {
    vendor: 'google',
    dates: [
      { suffix: '-NNN', stems: gemini },
      { suffix: '-exp-MM-DD', stems: gemini },
      { suffix: '-preview-MM-DD', stems: gemini },
      { suffix: '-preview-MM-YYYY', stems: gemini },
    ],
  },
  { vendor: 'x-ai', dates: [{ suffix: '-YYYYMMDD', stems: /^grok/ }] },
  {
    vendor: 'mistral',
    dates: [
      { suffix: '-YYMM', stems: /^magistral/ },
      { suffix: '-latest', stems: /^magistral/ },
    ],
  },
  { vendor: 'deepseek', dates: [] },
  { vendor: 'moonshotai', dates: [] },
  { vendor: 'minimax', dates: [] },
  { vendor: 'zai', dates: [] },
  { vendor: 'cohere', dates: [] },
  { vendor: 'voyageai', dates: [] },
  { vendor: 'perplexity', dates: [] },
  { vendor: 'typesafe', dates: [] },
]

/**
 * Hosts of other makers' models: only the ids that they alone sell, since an id that several sell
 * at different prices has no list price. After the makers, in this order.
 */
export const hosts: readonly string[] = ['groq', 'cerebras', 'fireworks', 'cloudflare', 'arcee']

/** The package's own data, as it was published; nothing is fetched. */
export async function loadProviders(): Promise<ReadonlyMap<string, Provider>> {
  const providers = await waitForUpdate()
  if (!providers) throw new Error('@pydantic/genai-prices holds no data: install it again')
  return new Map(providers.map((provider) => [provider.id, provider]))
}

/** The provider's model that the package prices this id by at `date`, and at what. */
export function resolve(id: string, provider: Provider, date: string) {
  const timestamp = new Date(`${date}T00:00:00Z`)
  const priced = calcPrice({}, id, { providerId: provider.id, timestamp })
  // Some providers fall back to another one's models: those are not theirs.
  if (!priced || !provider.models.includes(priced.model)) return undefined
  return { model: priced.model, price: priced.model_price }
}

/** All text in a model's clauses, and which of it is a whole id rather than a part of one. */
export interface Literals {
  readonly whole: readonly string[]
  readonly parts: readonly string[]
}

/** Collects the text of `equals` (whole ids) and of `starts_with` and its like (parts). */
export function literals(match: ModelInfo['match']): Literals {
  if ('equals' in match) return { whole: [match.equals], parts: [] }
  if ('starts_with' in match) return { whole: [], parts: [match.starts_with] }
  if ('ends_with' in match) return { whole: [], parts: [match.ends_with] }
  if ('contains' in match) return { whole: [], parts: [match.contains] }
  if ('regex' in match) return { whole: [], parts: [] }
  const inner = ('or' in match ? match.or : match.and).map(literals)
  return {
    whole: inner.flatMap((each) => each.whole),
    parts: inner.flatMap((each) => each.parts),
  }
}
