import type { ModelInfo, ModelPrice } from '@pydantic/genai-prices'
import { parseDecimal, priceDecimals } from '../src/billing/money.ts'
import type { VendorPriceEntry } from '../src/catalog/vendor-prices.ts'
import type { ModalityKind } from '../src/store/ports/extras.ts'

type Rates = Pick<
  VendorPriceEntry,
  'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h' | 'modalities'
>
/** The prices of one entry, or the reason why our form cannot hold them. */
export type Terms =
  | (Rates & Pick<VendorPriceEntry, 'tiers' | 'tools'>)
  | { readonly reason: string }

const tokenKeys = [
  'input_mtok',
  'output_mtok',
  'cache_read_mtok',
  'cache_write_mtok',
  'cache_write_1h_mtok',
] as const
type TokenKey = (typeof tokenKeys)[number]

/** Prices of tokens that are no text. */
const modalities: { readonly [key: string]: ModalityKind } = {
  input_audio_mtok: 'inputAudio',
  input_image_mtok: 'inputImage',
  input_video_mtok: 'inputVideo',
  cache_audio_read_mtok: 'cacheReadAudio',
  cache_image_read_mtok: 'cacheReadImage',
  output_audio_mtok: 'outputAudio',
  output_image_mtok: 'outputImage',
  output_video_mtok: 'outputVideo',
}

/** Tools, in USD per 1,000 uses: of OpenAI's preview tool the package says nothing. */
const toolsByKey: { readonly [key: string]: string } = {
  storage_searches_kcount: 'file_search',
  web_searches_kcount: 'web_search',
}

/** Nearly every answer of such a model would be charged wrongly: the model is left out. */
const blocking: { readonly [key: string]: string } = {
  audio_hours: 'priced by the hour of audio',
  input_annotated_document_kpages: 'priced by the page',
  input_audio_hours: 'priced by the hour of audio',
  input_document_kpages: 'priced by the page',
  input_text_messages_kcount: 'priced by the message',
  output_citation_mtok: 'citations in its answers have a price of their own',
  output_reasoning_mtok: 'reasoning has a price of its own',
  requests_kcount: 'a fee for every request besides its tokens',
}

/**
 * The package's prices in our form. It charges the whole request, each kind of token by the last
 * tier whose `start` the input tokens exceed, cached ones included, and a cache price that is not
 * there as we do (CONTRACT 4.3). So our tiers are all its starts, each with the five prices there.
 */
export function convertPrice(price: ModelPrice): Terms {
  const keys = Object.keys(price).filter((key) => price[key] !== undefined)
  const known = { ...modalities, ...toolsByKey, ...blocking }
  const unknown = keys.find((key) => !isTokenKey(key) && !(key in known))
  if (unknown !== undefined)
    throw new Error(`price key "${unknown}" is new: say in data/price-terms.ts what it means`)
  const blocked = keys.find((key) => key in blocking)
  if (blocked !== undefined) return { reason: blocking[blocked] ?? blocked }
  if (tokenKeys.every((key) => (price[key] ?? 0) === 0))
    return { reason: 'free at the vendor: free here only when its price is set so on purpose' }
  if (price.input_mtok === undefined) return { reason: 'no price of input tokens' }
  const ofTokens = [...tokenKeys, ...Object.keys(modalities)]
  const starts = new Set(ofTokens.flatMap((key) => tiersOf(price[key]).map(({ start }) => start)))
  const base = ratesAt(price, 0)
  const tiers = [...starts]
    .sort((a, b) => a - b)
    .map((above) => ({ above, ...ratesAt(price, above + 1) }))
  const tools = Object.entries(toolsByKey).flatMap(([key, tool]) => {
    const nano = micro(price, key, 0)
    return nano === null ? [] : [[tool, nano] as const]
  })
  return { ...base, ...(tools.length > 0 && { tools: Object.fromEntries(tools) }), tiers }
}

/** What holds at `date`, and the day from which the package knows another price. */
export function priceSchedule(
  prices: ModelInfo['prices'],
  date: string,
): { readonly until: string | null } | { readonly reason: string } {
  if (!Array.isArray(prices)) return { until: null }
  const constraints = prices.flatMap(({ constraint }) => constraint ?? [])
  if (constraints.some(({ type }) => type === 'time_of_date'))
    return { reason: 'priced by the time of day' }
  const ahead = constraints.flatMap((each) =>
    each.type === 'start_date' && each.start_date > date ? each.start_date : [],
  )
  return { until: ahead.sort()[0] ?? null }
}

function ratesAt(price: ModelPrice, context: number): Rates {
  const others = Object.entries(modalities).flatMap(([key, kind]) => {
    const rate = micro(price, key, context)
    return rate === null ? [] : [[kind, rate] as const]
  })
  return {
    input: micro(price, 'input_mtok', context) ?? 0,
    // Embeddings have no answer to charge.
    output: micro(price, 'output_mtok', context) ?? 0,
    cacheRead: micro(price, 'cache_read_mtok', context),
    cacheWrite: micro(price, 'cache_write_mtok', context),
    cacheWrite1h: micro(price, 'cache_write_1h_mtok', context),
    ...(others.length > 0 && { modalities: Object.fromEntries(others) }),
  }
}

/** In micro-USD per 1M tokens; of tools in nano-USD per use, which is the same figure. */
function micro(price: ModelPrice, key: string, context: number): number | null {
  const value = price[key]
  if (value === undefined) return null
  const base = typeof value === 'number' ? value : value.base
  const usd = tiersOf(value).findLast(({ start }) => context > start)?.price ?? base
  const exact = parseDecimal(usd, priceDecimals)
  if (exact === undefined)
    throw new Error(`${key} ${usd} is finer than a micro-USD per 1M tokens: exclude the model`)
  return exact
}

function tiersOf(value: ModelPrice[string]) {
  if (value === undefined || typeof value === 'number') return []
  return [...value.tiers].sort((a, b) => a.start - b.start)
}

function isTokenKey(key: string): key is TokenKey {
  return tokenKeys.some((each) => each === key)
}
