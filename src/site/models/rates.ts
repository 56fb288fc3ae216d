import { effectiveRates } from '../../billing/charge.ts'
import type { Sale, ShownModel, VendorPrice } from './models.ts'
import { type Price, perMillion, perUse, savingOf } from './money.ts'

/** What the columns of text tokens count. */
export const rateNames = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h'] as const
export type RateName = (typeof rateNames)[number]
export type Rates = { readonly [name in RateName]: Price | null }

/** Prices of text that hold above a context length; 0: from the first token on. */
export interface Tier {
  readonly above: number
  readonly rates: Rates
}

/** What a group takes: by tokens, by request, or nothing. */
export type Charged =
  | { readonly unit: 'tokens'; readonly tiers: readonly [Tier, ...Tier[]] }
  | { readonly unit: 'call'; readonly price: Price }
  | { readonly unit: 'free' }

/** The final prices of a sale: the base price times the group's multiplier. */
export function chargedFor({ terms, group: { multiplierMillionths } }: Sale): Charged {
  if (multiplierMillionths === 0) return { unit: 'free' }
  switch (terms.unit) {
    case 'tokens': {
      const ratesOf = (rates: Parameters<typeof effectiveRates>[0]): Rates => {
        const known = effectiveRates(rates)
        const final = (name: RateName) => perMillion(known[name], multiplierMillionths)
        return mapRates(final)
      }
      const tiers = terms.tiers.map((tier) => ({ above: tier.above, rates: ratesOf(tier) }))
      return { unit: 'tokens', tiers: [{ above: 0, rates: ratesOf(terms.base) }, ...tiers] }
    }
    case 'call':
      return { unit: 'call', price: perUse(terms.perCallNano, multiplierMillionths) }
    default:
      return { unit: 'free' }
  }
}

/** The vendor's list prices by context length; what the vendor has no price for is null. */
export function listTiers({ terms }: VendorPrice): readonly [Tier, ...Tier[]] {
  const ratesOf = (rates: typeof terms.base): Rates =>
    mapRates((name) => {
      const micro = rates[name]
      return micro === null ? null : perMillion(micro)
    })
  const tiers = terms.tiers.map((tier) => ({ above: tier.above, rates: ratesOf(tier) }))
  return [{ above: 0, rates: ratesOf(terms.base) }, ...tiers]
}

const mapRates = (of: (name: RateName) => Price | null): Rates => ({
  input: of('input'),
  output: of('output'),
  cacheRead: of('cacheRead'),
  cacheWrite: of('cacheWrite'),
  cacheWrite1h: of('cacheWrite1h'),
})

/** The tier of a context just above a length. */
export const tierAt = (tiers: readonly [Tier, ...Tier[]], above: number): Tier =>
  tiers.findLast((tier) => tier.above <= above) ?? tiers[0]

/** How much a sale's input and output together cost less than the list, in per cent; null: not to be compared. */
export function savingIn(
  { list }: Pick<ShownModel, 'list'>,
  charged: Charged,
  above = 0,
): number | null {
  if (list === undefined || charged.unit === 'call') return null
  if (charged.unit === 'free') return 100
  const [ours, theirs] = [tierAt(charged.tiers, above), tierAt(listTiers(list), above)]
  return savingOf(sum(ours.rates), sum(theirs.rates))
}

function sum({ input, output }: Rates): Price {
  const units = (input?.units ?? 0n) + (output?.units ?? 0n)
  return { units, decimals: input?.decimals ?? 12 }
}
