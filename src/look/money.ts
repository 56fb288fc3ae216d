/**
 * An exact amount in USD, `-1234.5`, for people: `−$1,234.50`. At least two decimals, and never one
 * less than it has: digits are moved about as text, so that none is made up or lost.
 */
export function formatUsd(usd: string): string {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(usd) ?? []
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${sign === '-' ? '−' : ''}$${grouped}.${decimals.padEnd(2, '0')}`
}

/** An exact amount in USD, `-1234.5`, in short: `−$1,234.50`; a small one with two digits that count: `$0.0042`. */
export function shortMoney(usd: string | number): string {
  const value = Number(usd)
  const size = Math.abs(value)
  const isSmall = size > 0 && size < 0.01
  return formatUsd(isSmall ? trimmed(value.toFixed(placeOfFirst(size) + 1)) : value.toFixed(2))
}

/** How many decimals a text has: of `$1.25` two. */
export const decimalsIn = (text: string): number => text.split('.')[1]?.length ?? 0

/** As wide as a digit. */
export const figureSpace = '\u2007'

/** Amounts of one column: figure spaces behind shorter ones put their decimal points in line. */
export function alignPoints(texts: readonly string[]): readonly string[] {
  const most = Math.max(0, ...texts.map(decimalsIn))
  return texts.map((text) =>
    text.includes('.') ? text + figureSpace.repeat(most - decimalsIn(text)) : text,
  )
}

/** Place of the first decimal that is not 0. */
const placeOfFirst = (size: number) => Math.min(Math.ceil(-Math.log10(size)), 11)

/** Without zeros at the end, but those of cents. */
const trimmed = (decimal: string) => decimal.replace(/(\.\d\d\d*?)0+$/, '$1')
