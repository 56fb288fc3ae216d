/** Decimal places of an amount in nano-USD: 10⁻⁹ USD. */
export const nanoDecimals = 9
/** Decimal places of a price in micro-USD per 1M tokens. */
export const priceDecimals = 6
/** Decimal places of a multiplier in millionths. */
export const multiplierDecimals = 6

const plainNumber = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/
/** Digits of 2^53: a longer integer is never safe. */
const maxDigits = 16

/**
 * Parses decimal text into an integer of 10^-`decimals`: `parseDecimal('0.25', 6)` is 250000. Exact: it moves the
 * decimal point in the text. Undefined for text that is no plain number (`1e-7` is allowed), has too many
 * decimals, or exceeds the safe integers.
 */
export function parseDecimal(text: string | number, decimals: number): number | undefined {
  const match = plainNumber.exec(String(text))
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const all = whole + fraction
  const first = all.search(/[1-9]/)
  if (first === -1) return 0
  let last = all.length
  while (all[last - 1] === '0') last--
  const zeros = Number(exponent) + decimals - fraction.length + (all.length - last)
  if (zeros < 0 || last - first + zeros > maxDigits) return undefined
  const value = Number(all.slice(first, last) + '0'.repeat(zeros))
  if (!Number.isSafeInteger(value)) return undefined
  return sign === '-' ? -value : value
}

/** Decimal text of an integer in units of 10^-`decimals`: the inverse of `parseDecimal`. */
export function formatDecimal(value: number | bigint, decimals: number): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`${value} is not an exact integer, so it can't be written as money.`)
  const units = BigInt(value)
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  let end = digits.length
  while (end > point && digits[end - 1] === '0') end--
  const fraction = digits.slice(point, end)
  const text = fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`
  return units < 0n ? `-${text}` : text
}

/** An amount in nano-USD as plain decimal USD: `1500000000` is `1.5`. */
export function formatNano(amountNano: number | bigint): string {
  return formatDecimal(amountNano, nanoDecimals)
}

/** Nano-USD for display: at least two decimals, more where needed. */
export function usd(amountNano: number | bigint): string {
  const [whole = '0', fraction = ''] = formatNano(amountNano).split('.')
  return `${whole}.${fraction.padEnd(2, '0')} USD`
}

/** How far an account is beyond its credit limit, in nano-USD; 0: within the limit. */
export const overdrawnNano = ({
  balanceNano,
  creditLimitNano,
}: {
  readonly balanceNano: number
  readonly creditLimitNano: number
}): number => Math.max(0, -(balanceNano + creditLimitNano))
