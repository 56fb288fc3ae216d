import type { TokenRates } from '../store/ports/catalog.ts'
import { type ExtraPrices, type ModalityKind, modalityKinds } from '../store/ports/extras.ts'
import { formatDecimal, multiplierDecimals, priceDecimals } from './money.ts'

/** A tool's price is written in USD per 1,000 uses, of which one costs that many millions of nano-USD. */
export const toolPriceDecimals = 6

/** Texts by name, as tollgate.yaml has them. */
export type Written = { readonly [name: string]: string }

type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Capitalize<First> ? `_${Uncapitalize<First>}` : First}${Snake<Rest>}`
  : ''
/** `cache_read_audio`. */
export type ModalityName = Snake<ModalityKind>

/** `cacheReadAudio` → `cache_read_audio`. */
export const modalityName = (kind: ModalityKind): ModalityName =>
  kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as ModalityName

/** All names of prices for tokens that are no text. */
export const modalityNames: readonly ModalityName[] = modalityKinds.map(modalityName)

/** The prices of a tier for tokens that are no text, in USD per 1M; only what is set. */
export const writtenModalities = ({ modalities }: TokenRates): Written =>
  Object.fromEntries(
    modalityKinds.flatMap((kind) => {
      const micro = modalities?.[kind]
      return micro === undefined ? [] : [[modalityName(kind), formatDecimal(micro, priceDecimals)]]
    }),
  )

/** Tools in USD per 1,000 uses or `free`, service tiers as multipliers; absent: none is set. */
export function writtenExtras({ tools, serviceTiers }: ExtraPrices = {}) {
  return {
    ...(tools && { tools: eachOf(tools, toolText) }),
    ...(serviceTiers && {
      service_tiers: eachOf(serviceTiers, (factor) => formatDecimal(factor, multiplierDecimals)),
    }),
  }
}

const toolText = (nano: number) => (nano === 0 ? 'free' : formatDecimal(nano, toolPriceDecimals))

const eachOf = (prices: { readonly [name: string]: number }, text: (price: number) => string) =>
  Object.fromEntries(
    Object.entries(prices)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, price]): [string, string] => [name, text(price)]),
  )

/** The same as one list of names and values: `web_search: 10 per 1,000 uses`. */
export function extraWords(extras: ExtraPrices | undefined): readonly string[] {
  const { tools = {}, service_tiers: tiers = {} } = writtenExtras(extras)
  return [
    ...Object.entries(tools).map(([tool, usd]) =>
      usd === 'free' ? `${words(tool)} free` : `${words(tool)} ${usd} per 1,000`,
    ),
    ...Object.entries(tiers).map(([tier, factor]) => `tier ${tier} × ${factor}`),
  ]
}

const words = (name: string) => name.replaceAll('_', ' ')
