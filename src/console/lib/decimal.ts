import { decimalsIn } from '../../look/money.ts'

/** A plain decimal as an integer of 10^-`decimals`; exact, whatever its length. */
function unitsOf(text: string, decimals: number): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  return BigInt(`${sign}${whole}${fraction.padEnd(decimals, '0')}`)
}

/** Compares plain decimals such as amounts of the API, without making floats of them. */
export function isLess(a: string, b: string): boolean {
  const decimals = Math.max(decimalsIn(a), decimalsIn(b))
  return unitsOf(a, decimals) < unitsOf(b, decimals)
}

/** The product of two plain decimals, exactly: `0.1` × `3` is `0.3`. */
export function multiply(a: string, b: string): string {
  const decimals = decimalsIn(a) + decimalsIn(b)
  const product = unitsOf(a, decimalsIn(a)) * unitsOf(b, decimalsIn(b))
  return plain(product, decimals)
}

/** Plain text of an integer of 10^-`decimals`, without zeros at its end. */
function plain(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const whole = digits.slice(0, digits.length - decimals)
  return `${sign}${whole}${decimals > 0 && fraction !== '' ? `.${fraction}` : ''}`
}

/**
 * A number of a JSON document as the plain decimal that was written there. The shortest text that
 * reads back as the same number is what stood there, when it had at most 15 significant digits.
 */
export function fromNumber(value: number): string {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const shift = Number(exponent)
  return shift >= 0
    ? multiply(mantissa, `1${'0'.repeat(shift)}`)
    : multiply(mantissa, `0.${'0'.repeat(-shift - 1)}1`)
}
