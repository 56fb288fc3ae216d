import { isoTime } from '../../lib/format.ts'
import type { PriceRow, TokenRates } from '../../store/ports/catalog.ts'
import type { ExtraPrices, ModalityRates } from '../../store/ports/extras.ts'
import { modalityKinds } from '../../store/ports/extras.ts'
import { effectiveRates } from '../charge.ts'
import { modalityName } from '../written-extras.ts'

/** A price in micro-USD per 1M tokens (or nano-USD per call), each one as it is charged. */
export function priceView({ id, model, terms, validFrom }: PriceRow) {
  const head = { id, model, valid_from: isoTime(validFrom), unit: terms.unit }
  if (terms.unit === 'call')
    return { ...head, per_call_nano: terms.perCallNano, ...extrasView(terms.extras) }
  if (terms.unit !== 'tokens') return head
  const tiers = terms.tiers.map((tier) => ({ above: tier.above, ...ratesView(tier) }))
  return { ...head, ...ratesView(terms.base), tiers, ...extrasView(terms.extras) }
}

/** In nano-USD per use of a tool, and millionths by service tier; absent: none is set. */
const extrasView = ({ tools, serviceTiers }: ExtraPrices = {}) => ({
  ...(tools && { tools }),
  ...(serviceTiers && { service_tiers: serviceTiers }),
})

function ratesView(rates: TokenRates) {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = effectiveRates(rates)
  return {
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    cache_write_1h: cacheWrite1h,
    ...modalitiesView(rates.modalities),
  }
}

const modalitiesView = (rates: ModalityRates = {}): { readonly [name: string]: number } =>
  Object.fromEntries(
    modalityKinds.flatMap((kind) => {
      const micro = rates[kind]
      return micro === undefined ? [] : [[modalityName(kind), micro]]
    }),
  )
