import type { PriceTerms, TokenRates } from '../store/ports/catalog.ts'
import {
  type ChargedExtras,
  type ExtraPrices,
  type ModalityKind,
  type ModalityRates,
  modalityKinds,
  type UsageExtras,
  type VendorExtras,
} from '../store/ports/extras.ts'
import { formatDecimal, multiplierDecimals, priceDecimals } from './money.ts'

const standard = 1_000_000
/** Tiers that every vendor sells at less than its standard price: without a price that one holds. */
const cheaper: ReadonlySet<string> = new Set(['batch', 'flex'])

/** The count of LLM tokens that a kind is part of, and the price that it falls back on. */
export const partOf = (kind: ModalityKind) => {
  if (kind.startsWith('input')) return { tokens: 'inputTokens', rate: 'input' } as const
  if (kind.startsWith('output')) return { tokens: 'outputTokens', rate: 'output' } as const
  return { tokens: 'cacheReadTokens', rate: 'cacheRead' } as const
}

/** `cacheReadAudio` → `inputAudio`: what it would cost if nothing of it were cached. */
const uncached = (kind: ModalityKind) => kind.replace('cacheRead', 'input') as ModalityKind

/** What a kind of tokens costs by the prices of one tier; undefined: they do not name it. */
const named = (rates: ModalityRates | undefined, kind: ModalityKind) =>
  rates?.[kind] ?? rates?.[uncached(kind)]

/** Where the prices of a tokens' kind are looked up. */
export interface RateSources {
  /** The tier that is charged, and the base that it belongs to. */
  readonly rates: TokenRates
  readonly base: TokenRates
  /** Of text, with every fallback. */
  readonly text: { readonly input: number; readonly output: number; readonly cacheRead: number }
  readonly vendor: VendorExtras | undefined
}

/**
 * The price of LLM tokens that are no text: the tier's, else the base's or the vendor's, but no
 * less than the tier's text. A cached kind without a price costs what it costs uncached.
 */
export function modalityRate(kind: ModalityKind, from: RateSources): number {
  const own = named(from.rates.modalities, kind)
  if (own !== undefined) return own
  const text = from.text[partOf(kind).rate]
  const fallback = named(from.base.modalities, kind) ?? named(from.vendor?.modalities, kind)
  return fallback === undefined ? text : Math.max(fallback, text)
}

/** Nano-USD for one use of a tool; undefined: neither the price nor the vendor names it. */
export function toolPrice(
  terms: PriceTerms,
  vendor: VendorExtras | undefined,
  tool: string,
): number | undefined {
  if (terms.unit === 'free') return 0
  if (terms.unit === 'none') return undefined
  return terms.extras?.tools?.[tool] ?? vendor?.tools?.[tool]
}

/** The words of a tier: `fast+us` are two. */
export const tierWords = (tier: string | undefined): readonly string[] =>
  tier === undefined || tier === '' ? [] : tier.split('+')

const tiersOf = (terms: PriceTerms) =>
  terms.unit === 'tokens' || terms.unit === 'call' ? terms.extras?.serviceTiers : undefined

/** What a service tier multiplies a price by, in millionths; not known: the standard price. */
export const tierFactor = (
  terms: PriceTerms,
  vendor: VendorExtras | undefined,
  word: string,
): number => tiersOf(terms)?.[word] ?? vendor?.serviceTiers?.[word] ?? standard

type PricedExtra =
  | { readonly tool: string }
  | { readonly tier: string }
  | { readonly modality: ModalityKind }

/** Whether an extra has a price; one without is refused. Input always costs as text at least. */
export function hasPrice(
  terms: PriceTerms,
  vendor: VendorExtras | undefined,
  extra: PricedExtra,
): boolean {
  if (terms.unit === 'free') return true
  if ('tool' in extra) return toolPrice(terms, vendor, extra.tool) !== undefined
  if ('tier' in extra) {
    const known = { ...vendor?.serviceTiers, ...tiersOf(terms) }
    return tierWords(extra.tier).every((word) => word in known || cheaper.has(word))
  }
  if (terms.unit !== 'tokens' || !extra.modality.startsWith('output')) return true
  const { base } = terms
  return (
    named(base.modalities, extra.modality) !== undefined ||
    named(vendor?.modalities, extra.modality) !== undefined
  )
}

/** The most that the named tiers can multiply a price by, in millionths, for reserving. */
export function dearestMultiplier(
  terms: PriceTerms,
  vendor: VendorExtras | undefined,
  tiers: readonly string[],
): number {
  const words = tiers.flatMap(tierWords)
  const factor = words.reduce(
    (all, word) => (all * Math.max(standard, tierFactor(terms, vendor, word))) / standard,
    standard,
  )
  return Math.ceil(factor)
}

/** What is stored of extras: with them the prices of the vendor that the model's own price lacks. */
export function chargedExtras(
  terms: PriceTerms,
  extras: UsageExtras,
  vendor: VendorExtras | undefined,
): ChargedExtras {
  const { modalities = {}, tools = {}, tier } = extras
  const used = {
    modalities: pick(vendor?.modalities, (kind) => {
      const uses = modalityKinds.filter((each) => modalities[each])
      return uses.some((each) => each === kind || uncached(each) === kind)
    }),
    tools: pick(
      vendor?.tools,
      (tool) => tool in tools && toolPrice(terms, undefined, tool) === undefined,
    ),
    // All of them where one has no price: it is charged as the dearest.
    serviceTiers: tier === undefined ? undefined : vendor?.serviceTiers,
  }
  const prices = Object.fromEntries(Object.entries(used).filter(([, each]) => each !== undefined))
  return { ...extras, ...(Object.keys(prices).length > 0 && { vendor: prices }) }
}

function pick<Value>(
  all: { readonly [name: string]: Value } | undefined,
  isUsed: (name: string) => boolean,
): { readonly [name: string]: Value } | undefined {
  const used = Object.entries(all ?? {}).filter(([name]) => isUsed(name))
  return used.length === 0 ? undefined : Object.fromEntries(used)
}

/** Extras as a record keeps them; undefined: there are none, or it was changed by hand. */
export function readExtras(json: string | null | undefined): ChargedExtras | undefined {
  if (json === null || json === undefined) return undefined
  try {
    const extras: unknown = JSON.parse(json)
    return typeof extras === 'object' && extras !== null ? extras : undefined
  } catch {
    return undefined // the charge is worked out without, and found to be another one
  }
}

/** What a record says that its charge is made from; of plain usage the row itself, at no cost. */
export function recordedUsage<Row extends { readonly extrasJson?: string | null }>(
  row: Row,
): { readonly usage: Row & { extras?: UsageExtras }; readonly vendor?: VendorExtras } {
  const extras = readExtras(row.extrasJson)
  if (extras === undefined) return { usage: row }
  return { usage: { ...row, extras }, ...(extras.vendor && { vendor: extras.vendor }) }
}

/** A tool's price is written in USD per 1,000 uses, of which one costs that many millions of nano-USD. */
export const toolPriceDecimals = 6

type Written = { readonly [name: string]: string }

type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Capitalize<First> ? `_${Uncapitalize<First>}` : First}${Snake<Rest>}`
  : ''
export type ModalityName = Snake<ModalityKind>

/** `cacheReadAudio` → `cache_read_audio`. */
export const modalityName = (kind: ModalityKind): ModalityName =>
  kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as ModalityName

/** All names of prices for tokens that are no text. */
export const modalityNames: readonly ModalityName[] = modalityKinds.map(modalityName)

/** Prices of text tokens by their names in the file, in receipts and in reports. */
export const namedRates = <Value>(
  rates: Record<Exclude<keyof TokenRates, 'modalities'>, Value>,
) => ({
  input: rates.input,
  output: rates.output,
  cache_read: rates.cacheRead,
  cache_write: rates.cacheWrite,
  cache_write_1h: rates.cacheWrite1h,
})

/** The prices of a tier in USD per 1M, by their names in the file; only what is set. */
export const writtenRates = (rates: TokenRates): Written => ({
  ...Object.fromEntries(
    Object.entries(namedRates<number | null>(rates)).flatMap(([name, micro]) =>
      micro === null ? [] : [[name, formatDecimal(micro, priceDecimals)]],
    ),
  ),
  ...writtenModalities(rates),
})

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
