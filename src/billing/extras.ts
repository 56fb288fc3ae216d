import type { PriceTerms, TokenRates } from '../store/ports/catalog.ts'
import {
  type ChargedExtras,
  type ModalityKind,
  type ModalityRates,
  modalityKinds,
  type UsageExtras,
  type VendorExtras,
} from '../store/ports/extras.ts'

const standard = 1_000_000
/** Tiers that every vendor sells below its standard price; without a price they cost the standard one. */
const cheaper: ReadonlySet<string> = new Set(['batch', 'flex'])

/** The token count that a kind is part of, and the price that it falls back to. */
export const partOf = (kind: ModalityKind) => {
  if (kind.startsWith('input')) return { tokens: 'inputTokens', rate: 'input' } as const
  if (kind.startsWith('output')) return { tokens: 'outputTokens', rate: 'output' } as const
  return { tokens: 'cacheReadTokens', rate: 'cacheRead' } as const
}

/** `cacheReadAudio` → `inputAudio`: the uncached kind. */
const uncached = (kind: ModalityKind) => kind.replace('cacheRead', 'input') as ModalityKind

const named = (rates: ModalityRates | undefined, kind: ModalityKind) =>
  rates?.[kind] ?? rates?.[uncached(kind)]

export interface RateSources {
  readonly rates: TokenRates
  readonly base: TokenRates
  readonly text: { readonly input: number; readonly output: number; readonly cacheRead: number }
  readonly vendor: VendorExtras | undefined
}

/** The price of a modality's tokens: the tier's, else the base's or vendor's, at least the text price. */
export function modalityRate(kind: ModalityKind, from: RateSources): number {
  const own = named(from.rates.modalities, kind)
  if (own !== undefined) return own
  const text = from.text[partOf(kind).rate]
  const fallback = named(from.base.modalities, kind) ?? named(from.vendor?.modalities, kind)
  return fallback === undefined ? text : Math.max(fallback, text)
}

/** Nano-USD for one use of a tool; undefined: neither the price nor the vendor has one. */
export function toolPrice(
  terms: PriceTerms,
  vendor: VendorExtras | undefined,
  tool: string,
): number | undefined {
  if (terms.unit === 'free') return 0
  if (terms.unit === 'none') return undefined
  return terms.extras?.tools?.[tool] ?? vendor?.tools?.[tool]
}

export const tierWords = (tier: string | undefined): readonly string[] =>
  tier === undefined || tier === '' ? [] : tier.split('+')

const tiersOf = (terms: PriceTerms) =>
  terms.unit === 'tokens' || terms.unit === 'call' ? terms.extras?.serviceTiers : undefined

/** A service tier's multiplier in millionths; an unknown tier costs the standard price. */
export const tierFactor = (
  terms: PriceTerms,
  vendor: VendorExtras | undefined,
  word: string,
): number => tiersOf(terms)?.[word] ?? vendor?.serviceTiers?.[word] ?? standard

type PricedExtra =
  | { readonly tool: string }
  | { readonly tier: string }
  | { readonly modality: ModalityKind }

/** Whether an extra has a price; one without is refused. Input always has at least the text price. */
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

/** The largest multiplier of the named tiers, in millionths, for a reservation. */
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

/** The extras to store, with the vendor's prices where the model's own price lacks them. */
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
    // Without a price for the tier, all tiers are stored: the dearest is charged.
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

/** Parses a record's extras; undefined: none, or the record was edited by hand. */
export function readExtras(json: string | null | undefined): ChargedExtras | undefined {
  if (json === null || json === undefined) return undefined
  try {
    const extras: unknown = JSON.parse(json)
    return typeof extras === 'object' && extras !== null ? extras : undefined
  } catch {
    return undefined // the charge is worked out without, and found to be another one
  }
}

/** The usage that a record's charge is made from; for plain usage the row itself. */
export function recordedUsage<Row extends { readonly extrasJson?: string | null }>(
  row: Row,
): { readonly usage: Row & { extras?: UsageExtras }; readonly vendor?: VendorExtras } {
  const extras = readExtras(row.extrasJson)
  if (extras === undefined) return { usage: row }
  return { usage: { ...row, extras }, ...(extras.vendor && { vendor: extras.vendor }) }
}

/** Tool prices are written in USD per 1,000 uses: one use costs that many millions of nano-USD. */
export const toolPriceDecimals = 6

type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Capitalize<First> ? `_${Uncapitalize<First>}` : First}${Snake<Rest>}`
  : ''
export type ModalityName = Snake<ModalityKind>

/** `cacheReadAudio` → `cache_read_audio`. */
export const modalityName = (kind: ModalityKind): ModalityName => publicName(kind) as ModalityName

/** `cacheWrite1h` → `cache_write_1h`: a price's name in the file, receipts and reports. */
export const publicName = (name: string): string =>
  name.replace(/[A-Z]|\d/g, (start) => `_${start.toLowerCase()}`)
