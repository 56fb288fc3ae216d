import { isoTime } from '../../lib/format.ts'
import type { PriceRow, TokenRates } from '../../store/ports/catalog.ts'
import { effectiveRates } from '../charge.ts'

/** A price in micro-USD per 1M tokens (or nano-USD per call), each one as it is charged. */
export function priceView({ id, model, terms, validFrom }: PriceRow) {
  const head = { id, model, valid_from: isoTime(validFrom), unit: terms.unit }
  if (terms.unit === 'call') return { ...head, per_call_nano: terms.perCallNano }
  if (terms.unit !== 'tokens') return head
  const tiers = terms.tiers.map((tier) => ({ above: tier.above, ...ratesView(tier) }))
  return { ...head, ...ratesView(terms.base), tiers }
}

function ratesView(rates: TokenRates) {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = effectiveRates(rates)
  return {
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    cache_write_1h: cacheWrite1h,
  }
}
