/** A list in one line; `none` says what an empty one means. */
export const listed = (items: readonly string[], none: string): string =>
  items.length === 0 ? none : items.join(', ')

/** A whole number with its thousands apart: `213,000`. Not by the locale: that data is megabytes. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** `1 channel`, `2 channels`. */
export const counted = (count: number, thing: string): string =>
  `${grouped(count)} ${thing}${count === 1 ? '' : 's'}`

/** Milliseconds since 1970 as ISO 8601 in UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** An ISO time without what people don't read: `2026-11-21 08:30:12 UTC`. */
export const humanTime = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`

/** Milliseconds as people say them. */
export const humanDuration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Bytes as people say them: `512 bytes`, `1.3 MB`, `24 GB`. */
export function humanBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), byteUnits.length - 1)
  const value = bytes / 1000 ** power
  const text = power === 0 || value >= 10 ? String(Math.round(value)) : value.toFixed(1)
  return `${text} ${byteUnits[power]}`
}
