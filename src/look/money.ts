/** An exact amount in USD, `-1234.5`, in short: `−$1,234.50`; a small one with two digits that count: `$0.0042`. */
export function shortMoney(usd: string | number): string {
  const value = Number(usd)
  const size = Math.abs(value)
  if (size > 0 && size < 0.01) return signed(value, trimmed(size.toFixed(decimalsOf(size) + 1)))
  return signed(value, size.toFixed(2))
}

/** A price in USD, exact: `$1.25`, `$0.075`. At least two decimals. */
export const priceText = (usd: string | number): string => {
  const value = Number(usd)
  return signed(value, trimmed(Math.abs(value).toFixed(12)))
}

/** Texts of `priceText` for one column: figure spaces behind shorter ones put their decimal points in line. */
export function alignPoints(texts: readonly string[]): readonly string[] {
  const decimals = (text: string) => text.split('.')[1]?.length ?? 0
  const most = Math.max(0, ...texts.map(decimals))
  return texts.map((text) => {
    return text.includes('.') ? text + '\u2007'.repeat(most - decimals(text)) : text
  })
}

/** Place of the first decimal that is not 0. */
const decimalsOf = (size: number) => Math.min(Math.ceil(-Math.log10(size)), 11)

/** Without zeros at the end, but those of cents. */
const trimmed = (decimal: string) => decimal.replace(/(\.\d\d\d*?)0+$/, '$1')

function signed(value: number, decimal: string): string {
  const [whole = '0', decimals = ''] = decimal.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${value < 0 ? '−' : ''}$${grouped}.${decimals}`
}
