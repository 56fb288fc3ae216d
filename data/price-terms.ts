import type { ModelInfo, ModelPrice } from '@pydantic/genai-prices'
import { parseDecimal, priceDecimals } from '../src/billing/money.ts'
import type { VendorPriceEntry } from '../src/catalog/vendor-price-file.ts'

type Rates = Pick<
  VendorPriceEntry,
  'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h'
>
/** The prices of one entry, or the reason why our form cannot hold them. */
export type Terms =
  | (Rates & Pick<VendorPriceEntry, 'tiers' | 'uncovered'>)
  | { readonly reason: string }

const tokenKeys = [
  'input_mtok',
  'output_mtok',
  'cache_read_mtok',
  'cache_write_mtok',
  'cache_write_1h_mtok',
] as const
type TokenKey = (typeof tokenKeys)[number]

/** Charged besides the tokens, or for one kind of input: named in the entry, not charged. */
const besides: { readonly [key: string]: string } = {
  cache_audio_read_mtok: 'cache_audio_read',
  cache_image_read_mtok: 'cache_image_read',
  input_audio_mtok: 'input_audio',
  input_image_mtok: 'input_image',
  input_video_mtok: 'input_video',
  storage_searches_kcount: 'storage_searches',
  web_searches_kcount: 'web_searches',
}

/** Nearly every answer of such a model would be charged wrongly: the model is left out. */
const blocking: { readonly [key: string]: string } = {
  audio_hours: 'priced by the hour of audio',
  input_annotated_document_kpages: 'priced by the page',
  input_audio_hours: 'priced by the hour of audio',
  input_document_kpages: 'priced by the page',
  input_text_messages_kcount: 'priced by the message',
  output_audio_mtok: 'audio in its answers has a price of its own',
  output_citation_mtok: 'citations in its answers have a price of their own',
  output_image_mtok: 'images in its answers have a price of their own',
  output_reasoning_mtok: 'reasoning has a price of its own',
  output_video_mtok: 'video in its answers has a price of its own',
  requests_kcount: 'a fee for every request besides its tokens',
}

/**
 * The package's prices in our form. It charges the whole request, each kind of token by the last
 * tier whose `start` the input tokens exceed, cached ones included, and a cache price that is not
 * there as we do (CONTRACT 4.3). So our tiers are all its starts, each with the five prices there.
 */
export function convertPrice(price: ModelPrice): Terms {
  const keys = Object.keys(price).filter((key) => price[key] !== undefined)
  const unknown = keys.find((key) => !isTokenKey(key) && !(key in besides) && !(key in blocking))
  if (unknown !== undefined)
    throw new Error(`price key "${unknown}" is new: say in data/price-terms.ts what it means`)
  const blocked = keys.find((key) => key in blocking)
  if (blocked !== undefined) return { reason: blocking[blocked] ?? blocked }
  if (tokenKeys.every((key) => (price[key] ?? 0) === 0))
    return { reason: 'free at the vendor: free here only when its price is set so on purpose' }
  if (price.input_mtok === undefined) return { reason: 'no price of input tokens' }
  const starts = new Set(tokenKeys.flatMap((key) => tiersOf(price[key]).map(({ start }) => start)))
  const base = ratesAt(price, 0)
  const tiers = [...starts]
    .sort((a, b) => a - b)
    .map((above) => ({ above, ...ratesAt(price, above + 1) }))
  const uncovered = keys.flatMap((key) => besides[key] ?? []).sort()
  return { ...base, tiers, uncovered }
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
  return {
    input: micro(price, 'input_mtok', context) ?? 0,
    // Embeddings have no answer to charge.
    output: micro(price, 'output_mtok', context) ?? 0,
    cacheRead: micro(price, 'cache_read_mtok', context),
    cacheWrite: micro(price, 'cache_write_mtok', context),
    cacheWrite1h: micro(price, 'cache_write_1h_mtok', context),
  }
}

function micro(price: ModelPrice, key: TokenKey, context: number): number | null {
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
