import { formatNano } from '../billing/money.ts'

/** Nano-USD as people write money: at least two decimals, and as many more as it takes. */
export function usd(amountNano: number): string {
  const [whole = '0', fraction = ''] = formatNano(amountNano).split('.')
  return `${whole}.${fraction.padEnd(2, '0')} USD`
}

/** A list in one line; `none` says what an empty one means. */
export const listed = (items: readonly string[], none: string): string =>
  items.length === 0 ? none : items.join(', ')

/** `1 channel`, `2 channels`. */
export const counted = (count: number, thing: string): string =>
  `${count.toLocaleString('en-US')} ${thing}${count === 1 ? '' : 's'}`

/** An ISO time without what people don't read: `2026-11-21 08:30:12 UTC`. */
export const humanTime = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`

/** Milliseconds as people say them. */
export const humanDuration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)
