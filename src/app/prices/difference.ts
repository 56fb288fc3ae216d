import { toolPriceDecimals } from '../../billing/extras.ts'
import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import { ratesView } from '../../billing/receipt/view.ts'
import type { PriceWrite } from '../../store/ports/admin.ts'
import type { CatalogRows, PriceSource, PriceTerms, TokenRates } from '../../store/ports/catalog.ts'
import type { ExtraPrices } from '../../store/ports/extras.ts'
import type { PriceList } from './price-list.ts'

export interface PriceChange {
  readonly action: 'create' | 'update'
  readonly model: string
  readonly source: PriceSource | null
  /** The list's figure was finer than our unit. */
  readonly rounded: boolean
  readonly fields: readonly FigureChange[]
}

/** What a price list would change here. */
export type PriceDifference = ReturnType<typeof comparePrices>

const removed: PriceTerms = { unit: 'none' }

/** Compares a list with the prices in force, of models offered or priced, or of all in it. */
export function comparePrices(
  list: PriceList,
  { channels, prices }: Pick<CatalogRows, 'channels' | 'prices'>,
  { all }: { readonly all: boolean },
) {
  const inForce = new Map(prices.map((row) => [row.model, row]))
  const priced = prices.filter(({ terms }) => terms.unit !== 'none').map(({ model }) => model)
  const offered = channels.flatMap(({ models }) => models.map(({ id }) => id))
  const models = new Set([...priced, ...offered, ...(all ? list.models : [])])
  const changes: PriceChange[] = []
  const writes: PriceWrite[] = []
  const skipped: { readonly model: string; readonly reason: string }[] = []
  /** Models that keep their prices for long contexts, which the list lacks. */
  const tiersKept: string[] = []
  let unchanged = 0
  for (const model of [...models].sort()) {
    const row = inForce.get(model)
    const listed = list.find(model)
    if (listed === undefined) continue
    if ('reason' in listed || row?.terms.unit === 'none') {
      skipped.push({ model, reason: 'reason' in listed ? listed.reason : removedOnPurpose })
      continue
    }
    const kept = withKept(list, listed.terms, row?.terms)
    const { terms } = kept
    if (kept.tiersKept) tiersKept.push(model)
    const fields = compareFigures(row?.terms ?? removed, terms)
    if (fields.length === 0) {
      unchanged++
      continue
    }
    const action = row === undefined ? 'create' : 'update'
    const { rounded } = listed
    changes.push({ action, model, source: row?.source ?? null, rounded, fields })
    // Overwrites only the price that was shown.
    const replaces = row?.id ?? null
    writes.push({ model, terms, source: 'operator', note: row?.note ?? '', replaces })
  }
  return { form: list.form, changes, writes, unchanged, skipped, tiersKept }
}

const removedOnPurpose = 'its price was removed on purpose; "price set" gives one'

/** Keeps tiers that the list's form lacks, and context windows, which no form has. */
function withKept(list: PriceList, given: PriceTerms, inForce: PriceTerms | undefined) {
  const terms = list.form === 'config' ? given : withKeptExtras(given, inForce)
  if (terms.unit !== 'tokens' || inForce?.unit !== 'tokens') return { terms, tiersKept: false }
  const { tiers, contextWindow } = inForce
  // A feed has no prices for long contexts.
  const tiersKept = list.form === 'feed' && tiers.length > 0
  const kept = {
    ...terms,
    ...(tiersKept && { tiers }),
    ...(contextWindow !== undefined && { contextWindow }),
  }
  return { terms: kept, tiersKept }
}

/** Keeps tools, service tiers and modalities that only the file has in full. */
function withKeptExtras(terms: PriceTerms, inForce: PriceTerms | undefined): PriceTerms {
  if (terms.unit === 'free' || terms.unit === 'none' || inForce?.unit !== terms.unit) return terms
  const extras = { ...inForce.extras, ...terms.extras }
  const kept = Object.keys(extras).length === 0 ? terms : { ...terms, extras }
  if (kept.unit !== 'tokens' || inForce.unit !== 'tokens') return kept
  const { modalities } = inForce.base
  return modalities === undefined ? kept : { ...kept, base: { modalities, ...kept.base } }
}

interface Figure {
  /** `input`, `above 200000: cache_read`, `per_call` or `free`. */
  readonly field: string
  readonly units: number
  readonly usd: string
}

/** A change between two prices; null: absent on that side. */
export interface FigureChange {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
  /** In percent with one decimal; null when one side is missing or 0. */
  readonly percent: number | null
}

/** All figures of a price with their fallbacks: prices with equal figures charge the same. */
export function figuresOf(terms: PriceTerms): readonly Figure[] {
  switch (terms.unit) {
    case 'tokens':
      return [
        ...rateFigures('', terms.base),
        ...terms.tiers.flatMap((tier) => rateFigures(`above ${tier.above}: `, tier)),
        ...extraFigures(terms.extras),
      ]
    case 'call':
      return [figure('per_call', terms.perCallNano, nanoDecimals), ...extraFigures(terms.extras)]
    case 'free':
      return [{ field: 'free', units: 0, usd: '0' }]
    case 'none':
      return []
  }
}

const figure = (field: string, units: number, decimals: number): Figure => ({
  field,
  units,
  usd: formatDecimal(units, decimals),
})

const rateFigures = (prefix: string, rates: TokenRates): readonly Figure[] =>
  Object.entries(ratesView(rates)).map(([name, micro]) =>
    figure(prefix + name, micro, priceDecimals),
  )

const extraFigures = ({ tools = {}, serviceTiers = {} }: ExtraPrices = {}): readonly Figure[] => [
  ...Object.entries(tools).map(([tool, nano]) => figure(`tools.${tool}`, nano, toolPriceDecimals)),
  ...Object.entries(serviceTiers).map(([tier, factor]) =>
    figure(`service_tiers.${tier}`, factor, multiplierDecimals),
  ),
]

/** The figures in which two prices differ. */
export function compareFigures(from: PriceTerms, to: PriceTerms): readonly FigureChange[] {
  const before = new Map(figuresOf(from).map((one) => [one.field, one]))
  const after = new Map(figuresOf(to).map((one) => [one.field, one]))
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((field) => {
    const [old, next] = [before.get(field), after.get(field)]
    if (old?.units === next?.units) return []
    return [
      {
        field,
        from: old?.usd ?? null,
        to: next?.usd ?? null,
        percent: old && next ? percentOf(old.units, next.units) : null,
      },
    ]
  })
}

/** Growth in percent with one decimal; null: from or to nothing. */
export function percentOf(from: number, to: number): number | null {
  return from === 0 || to === 0 ? null : Math.round(((to - from) / from) * 1000) / 10
}
