import { toolPriceDecimals } from '../../billing/extras.ts'
import { multiplierDecimals, priceDecimals } from '../../billing/money.ts'
import type { ExtraPrices, ModalityKind, ModalityRates } from '../../store/ports/extras.ts'
import { toUnits } from './round.ts'

/** Kinds of tokens that are no text, by the field that prices them. */
const modalityFields: { readonly [kind in ModalityKind]?: string } = {
  inputAudio: 'input_cost_per_audio_token',
  inputImage: 'input_cost_per_image_token',
  cacheReadAudio: 'cache_read_input_audio_token_cost',
  cacheReadImage: 'cache_read_input_image_token_cost',
  outputAudio: 'output_cost_per_audio_token',
  outputImage: 'output_cost_per_image_token',
  outputVideo: 'output_cost_per_video_token',
}
/** Tools, by the field that prices them, and how many uses it is for. */
const toolFields: { readonly [tool: string]: readonly [field: string, uses: number] } = {
  file_search: ['file_search_cost_per_1k_calls', 1_000],
  code_execution: ['code_interpreter_cost_per_session', 1],
}

/** Fields of costs that this reads. */
export const extraFields: readonly string[] = [
  ...Object.values(modalityFields),
  ...Object.values(toolFields).map(([field]) => field),
]

/** Prices of tokens that are no text; undefined: the entry has none. */
export function litellmModalities(prices: ReadonlyMap<string, number>): ModalityRates | undefined {
  const rates = Object.entries(modalityFields).flatMap(([kind, field]) => {
    const usd = prices.get(field)
    return usd === undefined ? [] : [[kind, toUnits(usd, 6 + priceDecimals).units] as const]
  })
  return rates.length === 0 ? undefined : Object.fromEntries(rates)
}

/**
 * Prices of tools and service tiers; undefined: the entry has none. Of several prices of a search,
 * by how much is read, the dearest counts; a tier multiplies all tokens by the most that it does one.
 */
export function litellmExtras(
  entry: object,
  prices: ReadonlyMap<string, number>,
): ExtraPrices | undefined {
  const perThousand = (usd: number, uses: number) =>
    toUnits((usd * 1_000) / uses, toolPriceDecimals).units
  const tools = Object.entries(toolFields).flatMap(([tool, [field, uses]]) => {
    const usd = prices.get(field)
    return usd === undefined ? [] : [[tool, perThousand(usd, uses)] as const]
  })
  const searches = numbersIn(entry, 'search_context_cost_per_query')
  if (searches.length > 0) {
    const dearest = Math.max(...searches.map(([, usd]) => usd))
    tools.push(['web_search', perThousand(dearest, 1)])
  }
  const tiers = [
    ...numbersIn(entry, 'provider_specific_entry').filter(([name]) => /^(fast|us)$/.test(name)),
    ...['priority', 'flex'].flatMap((tier) => factorOf(entry, tier)),
  ].map(([tier, factor]) => [tier, Math.ceil(toUnits(factor, multiplierDecimals).units)] as const)
  if (tools.length + tiers.length === 0) return undefined
  return {
    ...(tools.length > 0 && { tools: Object.fromEntries(tools) }),
    ...(tiers.length > 0 && { serviceTiers: Object.fromEntries(tiers) }),
  }
}

function factorOf(entry: object, tier: string): readonly (readonly [string, number])[] {
  const all = new Map(Object.entries(entry))
  const ratios = [...all].flatMap(([field, usd]) => {
    const [, standard] = new RegExp(`^(\\w+_cost(?:_per_token)?)_${tier}$`).exec(field) ?? []
    const base = standard === undefined ? undefined : all.get(standard)
    return isPrice(usd) && isPrice(base) ? [usd / base] : []
  })
  return ratios.length === 0 ? [] : [[tier, Math.max(...ratios)]]
}

const isPrice = (value: unknown): value is number => typeof value === 'number' && value > 0

const numbersIn = (entry: object, field: string): readonly (readonly [string, number])[] =>
  Object.entries(Object.getOwnPropertyDescriptor(entry, field)?.value ?? {}).flatMap(
    ([name, value]) => (isPrice(value) ? [[name, value] as const] : []),
  )
