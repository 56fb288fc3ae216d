import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import type { Offer } from '../../catalog/catalog.ts'
import type { PriceTerms } from '../../store/ports/catalog.ts'
import type { PriceExample } from './schema.ts'

const shownExamples = 5

/** Which prices another multiplier (in millionths) changes; what is free stays free. */
export function effectOf(
  offers: Iterable<Offer>,
  now: number,
  then: number,
): { readonly changed: number; readonly examples: PriceExample[] } {
  let changed = 0
  const examples: PriceExample[] = []
  for (const { model, price } of offers) {
    const unit = price.terms.unit === 'call' ? 'call' : 'tokens'
    const [before, after] = [pricesOf(price.terms, now), pricesOf(price.terms, then)]
    if (before.every((one, i) => one === after[i])) continue
    changed++
    if (examples.length < shownExamples) examples.push({ model, unit, now: before, after })
  }
  return { changed, examples }
}

/** Input and output per 1M tokens, or what a call costs; none for what is free. */
function pricesOf(terms: PriceTerms, multiplier: number): string[] {
  const times = (value: number, decimals: number) =>
    formatDecimal(BigInt(value) * BigInt(multiplier), decimals + multiplierDecimals)
  switch (terms.unit) {
    case 'tokens':
      return [times(terms.base.input, priceDecimals), times(terms.base.output, priceDecimals)]
    case 'call':
      return [times(terms.perCallNano, nanoDecimals)]
    default:
      return []
  }
}
