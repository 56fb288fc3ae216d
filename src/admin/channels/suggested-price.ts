import { formatDecimal, parseDecimal, priceDecimals } from '../../billing/money.ts'
import { findVendorPrice } from '../../catalog/vendor-prices.ts'
import type { ModelsListed } from './schema.ts'
import type { FoundModels } from './service.ts'

type Suggested = ModelsListed['models'][number]['price']

/** Micro-USD per 1M tokens are 10^-12 USD per token. */
const perTokenDecimals = 12

/** What a new model may be sold at: its vendor's list price, else what the upstream says; null: unknown. */
export function suggestedPrice({
  id,
  inputUsd,
  outputUsd,
}: FoundModels['models'][number]): Suggested {
  const perMillion = (micro: number) => formatDecimal(micro, priceDecimals)
  const vendor = findVendorPrice(id)
  if (vendor) {
    const { input, output } = vendor.terms.base
    return { input: perMillion(input), output: perMillion(output), source: 'vendor' }
  }
  const input = parseDecimal(inputUsd ?? '', perTokenDecimals)
  const output = parseDecimal(outputUsd ?? '', perTokenDecimals)
  if (input === undefined || output === undefined) return null
  return { input: perMillion(input), output: perMillion(output), source: 'upstream' }
}
