import { effectiveRates } from '../../billing/charge.ts'
import { modalityName, toolPriceDecimals } from '../../billing/extras.ts'
import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import type { PriceTerms, TokenRates } from '../../store/ports/catalog.ts'
import { type ExtraPrices, modalityKinds } from '../../store/ports/extras.ts'

/** One figure of a price, as it is charged: in USD per 1M tokens, or per call. */
export interface Figure {
  /** `input`, `above 200000: cache_read`, `per_call`; `free` for a price that is free on purpose. */
  readonly field: string
  /** In the unit of `decimals`. */
  readonly units: number
  /** Decimal USD. */
  readonly usd: string
}

/** What changes between two prices; null: not there on that side. */
export interface FigureChange {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
  /** By how much, in percent with one decimal; null when one side is missing or 0. */
  readonly percent: number | null
}

/** All figures of a price with their fall-backs: prices with equal figures charge the same. */
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

function rateFigures(prefix: string, rates: TokenRates): Figure[] {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = effectiveRates(rates)
  return [
    figure(`${prefix}input`, input, priceDecimals),
    figure(`${prefix}output`, output, priceDecimals),
    figure(`${prefix}cache_read`, cacheRead, priceDecimals),
    figure(`${prefix}cache_write`, cacheWrite, priceDecimals),
    figure(`${prefix}cache_write_1h`, cacheWrite1h, priceDecimals),
    ...modalityKinds.flatMap((kind) => {
      const micro = rates.modalities?.[kind]
      return micro === undefined ? [] : [figure(prefix + modalityName(kind), micro, priceDecimals)]
    }),
  ]
}

const extraFigures = ({ tools = {}, serviceTiers = {} }: ExtraPrices = {}): readonly Figure[] => [
  ...Object.entries(tools).map(([tool, nano]) => figure(`tools.${tool}`, nano, toolPriceDecimals)),
  ...Object.entries(serviceTiers).map(([tier, factor]) =>
    figure(`service_tiers.${tier}`, factor, multiplierDecimals),
  ),
]

/** The figures in which two prices differ; none: they charge the same. */
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

/** The growth from one amount to another, in percent with one decimal; null: from or to nothing. */
export function percentOf(from: number, to: number): number | null {
  return from === 0 || to === 0 ? null : Math.round(((to - from) / from) * 1000) / 10
}
