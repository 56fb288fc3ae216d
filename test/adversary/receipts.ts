import { isObject, type Json, listIn, numberIn } from './vendor/json.ts'

const count = (receipt: Json, name: string) => BigInt(numberIn(receipt, name) ?? 0)

/** What is wrong with a receipt, by its own fields alone; undefined where they explain its amount. */
export function explainReceipt(receipt: unknown): string | undefined {
  if (!isObject(receipt)) return 'it is no object'
  const differences = listIn(receipt, 'differences')
  if (differences.length > 0) return `it says itself: ${differences.join(' ')}`
  const amount = count(receipt, 'amount_nano')
  const worked = workOut(receipt)
  if (worked === undefined) return amount === 0n ? undefined : `${amount} without a price`
  if (worked === amount) return undefined
  return `its fields come to ${worked} nano-USD, it says ${amount}: ${JSON.stringify(receipt)}`
}

function workOut(receipt: Json): bigint | undefined {
  const { price } = receipt
  if (!isObject(price)) return undefined
  const multiplier = count(receipt, 'multiplier_millionths')
  if (price.unit === 'free') return 0n
  if (price.unit === 'call') {
    return half(count(receipt, 'calls') * count(price, 'per_call_nano') * multiplier, 1_000_000n)
  }
  const rates = ratesOf(receipt, price)
  const sum = kinds.reduce(
    (all, kind) => all + count(receipt, `${kind}_tokens`) * count(rates, kind),
    0n,
  )
  return half(sum * multiplier, 1_000_000_000n)
}

const kinds = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const

/** The prices of the highest tier that the context is above. */
function ratesOf(receipt: Json, price: Json): Json {
  if (receipt.long_context_pricing === false) return price
  const inputs = ['input', 'cache_read', 'cache_write', 'cache_write_1h']
  const context = inputs.reduce((sum, kind) => sum + count(receipt, `${kind}_tokens`), 0n)
  const tiers = listIn(price, 'tiers').filter(isObject)
  return tiers.findLast((tier) => context > count(tier, 'above')) ?? price
}

const half = (product: bigint, unit: bigint) => (product + unit / 2n) / unit
