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

/**
 * Tokens and calls by their prices, times the tier's factors; uses of tools on top; all times the
 * multiplier. In 10⁻¹² USD until it is rounded.
 */
function workOut(receipt: Json): bigint | undefined {
  const { price } = receipt
  if (!isObject(price)) return undefined
  if (price.unit === 'free') return 0n
  const extras = objectIn(receipt, 'extras')
  const paid =
    price.unit === 'call'
      ? count(receipt, 'calls') * count(price, 'per_call_nano') * 1_000n
      : tokens(receipt, price, extras)
  const factors = tierFactors(price, extras)
  const scale = million ** BigInt(factors.length)
  const tiered = factors.reduce((all, factor) => all * factor, paid)
  const tools = Object.entries(objectIn(extras, 'tools')).reduce(
    (sum, [tool, uses]) => sum + BigInt(Number(uses)) * toolPrice(price, extras, tool) * 1_000n,
    0n,
  )
  const multiplier = count(receipt, 'multiplier_millionths')
  return half((tiered + tools * scale) * multiplier, 1_000n * million * scale)
}

const million = 1_000_000n
const objectIn = (value: Json, name: string): Json => (isObject(value[name]) ? value[name] : {})
const vendorOf = (extras: Json, name: string) => objectIn(objectIn(extras, 'vendor'), name)

const toolPrice = (price: Json, extras: Json, tool: string): bigint =>
  BigInt(numberIn(objectIn(price, 'tools'), tool) ?? numberIn(vendorOf(extras, 'tools'), tool) ?? 0)

function tierFactors(price: Json, extras: Json): readonly bigint[] {
  const words = typeof extras.tier === 'string' ? extras.tier.split('+').filter(Boolean) : []
  const own = objectIn(price, 'service_tiers')
  const vendor = vendorOf(extras, 'serviceTiers')
  return words.map((word) => BigInt(numberIn(own, word) ?? numberIn(vendor, word) ?? 1_000_000))
}

function tokens(receipt: Json, price: Json, extras: Json): bigint {
  const rates = ratesOf(receipt, price)
  const rest = new Map(kinds.map((kind) => [kind as string, count(receipt, `${kind}_tokens`)]))
  let sum = 0n
  for (const [kind, said] of Object.entries(objectIn(extras, 'modalities'))) {
    const name = kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const text = name.replace(/_[a-z]+$/, '')
    const used = smaller(BigInt(Number(said)), rest.get(text) ?? 0n)
    rest.set(text, (rest.get(text) ?? 0n) - used)
    const vendor = numberIn(vendorOf(extras, 'modalities'), kind)
    const rate = numberIn(rates, name) ?? numberIn(price, name) ?? vendor ?? numberIn(rates, text)
    sum += used * BigInt(rate ?? 0)
  }
  for (const [kind, used] of rest) sum += used * count(rates, kind)
  return sum
}

const smaller = (one: bigint, other: bigint) => (one < other ? one : other)

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
