import { effectiveRates } from '../../billing/charge.ts'
import type { PriceTerms } from '../../store/ports/catalog.ts'

/**
 * Whether no answer can cost more by one price than by another. Prices with tiers or extras of their
 * own are only held to be so when these are the same.
 */
export function isNotDearer(price: PriceTerms, than: PriceTerms): boolean {
  if (price.unit === 'free') return true
  if (price.unit === 'call' && than.unit === 'call') {
    return price.perCallNano <= than.perCallNano && isSame(price.extras, than.extras)
  }
  if (price.unit !== 'tokens' || than.unit !== 'tokens') return false
  if (!isSame(price.tiers, than.tiers) || !isSame(price.extras, than.extras)) return false
  if (!isSame(price.base.modalities, than.base.modalities)) return false
  const [rates, bounds] = [effectiveRates(price.base), effectiveRates(than.base)]
  return (Object.keys(rates) as (keyof typeof rates)[]).every((kind) => rates[kind] <= bounds[kind])
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
