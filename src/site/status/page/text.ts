import { grouped } from '../../../lib/format.ts'
import type { StatusGroup } from '../schema.ts'

/** Text as HTML, also within quotes. */
export const escapeHtml = (text: string): string => Bun.escapeHTML(text)

/** An operator's words as HTML: of very long ones the beginning, kept to themselves in direction. */
export function freeText(text: string, most: number): string {
  return `<bdi>${escapeHtml(shorten(text, most))}</bdi>`
}

/** At most so many code points, on one line. */
export function shorten(text: string, most: number): string {
  const points = [...text.slice(0, most * 2 + 2).replace(/\s+/g, ' ')]
  return points.length > most ? `${points.slice(0, most).join('')}…` : points.join('')
}

/** The part that succeeded, rounded down: 100% means that nothing failed. */
export function percent(ratio: number | null): string | null {
  if (ratio === null) return null
  if (ratio === 1) return '100%'
  return `${(Math.floor(Math.round(ratio * 1e6) / 100) / 100).toFixed(2)}%`
}

/** The same of a bar or an incident. */
export const percentOf = ({ requests, failed }: StatusGroup['hours'][number]): string | null =>
  requests === 0 ? null : percent(Math.floor(((requests - failed) * 1e6) / requests) / 1e6)

/** A time that was taken: `640 ms`, `2.1 s`. Rounded up: nothing looks faster than it was. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.ceil(ms)} ms` : `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`
}

/** A number of requests or models. */
export const count = grouped
