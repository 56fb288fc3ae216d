import { UserError } from '../instance.ts'

/** A figure in whole units, and whether it was exactly that before. */
export interface Rounded {
  readonly units: number
  readonly exact: boolean
}

/** As many digits as every decimal text survives being a binary floating point number with. */
const significantDigits = 15

/**
 * A non-negative number in units of 10^-`decimals`, by its decimal text: what is written with at
 * most 15 digits is converted exactly, whatever a product of floats would give; what is finer than a
 * unit is rounded half up. Throws a `UserError` beyond the safe integers.
 */
export function toUnits(value: number, decimals: number): Rounded {
  const [mantissa = '0', exponent = '0'] = value.toExponential(significantDigits - 1).split('e')
  const digits = BigInt(mantissa.replace('.', ''))
  const shift = Number(exponent) - (significantDigits - 1) + decimals
  const step = 10n ** BigInt(Math.abs(shift))
  const exact = shift >= 0 || digits % step === 0n
  const units = Number(shift >= 0 ? digits * step : (digits + step / 2n) / step)
  if (!Number.isSafeInteger(units)) throw new UserError(`${value} USD is too much for a price.`)
  return { units, exact }
}
