import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import { decimalsIn, figureSpace, formatUsd, shortMoney } from '../../look/money.ts'
import { escapeHtml } from '../../look/text.ts'

/** An exact price in USD: an integer of 10^-`decimals`. */
export interface Price {
  readonly units: bigint
  readonly decimals: number
}

/** A price of micro-USD per 1M LLM tokens, times a multiplier in millionths. */
export const perMillion = (micro: number, multiplierMillionths = 1_000_000): Price => ({
  units: BigInt(micro) * BigInt(multiplierMillionths),
  decimals: priceDecimals + multiplierDecimals,
})

/** A price per use in nano-USD, times a multiplier in millionths. */
export const perUse = (nano: number, multiplierMillionths = 1_000_000): Price => ({
  units: BigInt(nano) * BigInt(multiplierMillionths),
  decimals: nanoDecimals + multiplierDecimals,
})

/** For order and ratios only. */
export const numberIn = ({ units, decimals }: Price): number => Number(units) / 10 ** decimals

export const exactUsd = ({ units, decimals }: Price): string => formatDecimal(units, decimals)

const mostDecimals = 4

/** A price for people, `$1.25`, `$0.0875`: at most four decimals, smaller prices with two digits that count. */
export function priceText(price: Price): string {
  const exact = exactUsd(price)
  const isLong = decimalsIn(exact) > mostDecimals
  if (isLong && numberIn(price) < 0.01) return shortMoney(exact)
  return formatUsd(isLong ? exactUsd(rounded(price)) : exact)
}

/** Rounded half up to four decimals. */
function rounded({ units, decimals }: Price): Price {
  const step = 10n ** BigInt(decimals - mostDecimals)
  return { units: (units + step / 2n) / step, decimals: mostDecimals }
}

/**
 * The same as HTML, its point in line with those of its column, whose longest price has `decimals`. The exact price
 * is the title, where it has more digits.
 */
export function priceHtml(price: Price, decimals = 0): string {
  const text = priceText(price)
  const shown = decimalsIn(text)
  const exact = exactUsd(price)
  const html = `${escapeHtml(text)}${figureSpace.repeat(Math.max(0, decimals - shown))}`
  return decimalsIn(exact) <= shown ? html : `<span title="$${exact}">${html}</span>`
}

/** Stands for no price where the units of its column stand. */
export const noPrice = (decimals: number): string => `–\u2008${figureSpace.repeat(decimals)}`

/** How many decimals the longest of a column's prices has. */
export const decimalsOf = (prices: readonly (Price | null | undefined)[]): number =>
  Math.max(2, ...prices.map((one) => (one ? decimalsIn(priceText(one)) : 0)))

/** How much less than `list` a price is, in whole per cent: never made larger by rounding; negative: it is more. */
export function savingOf(price: Price, list: Price): number | null {
  const scale = 10n ** BigInt(Math.abs(price.decimals - list.decimals))
  const [ours, theirs] =
    price.decimals < list.decimals
      ? [price.units * scale, list.units]
      : [price.units, list.units * scale]
  if (theirs === 0n) return null
  return Math.floor(Number(((theirs - ours) * 1_000_000n) / theirs) / 10_000)
}
