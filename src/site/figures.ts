import { grouped } from '../lib/format.ts'

/** The succeeded part, rounded down: 100% means no failure. */
export function percent(ratio: number | null): string | null {
  if (ratio === null) return null
  if (ratio === 1) return '100%'
  return `${(Math.floor(Math.round(ratio * 1e6) / 100) / 100).toFixed(2)}%`
}

/** A duration: `640 ms`, `2.1 s`. Rounded up: nothing looks faster than it was. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.ceil(ms)} ms` : `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`
}

/** LLM tokens a second: with a decimal where it tells something. */
export const speedText = (speed: number): string =>
  speed < 100 ? speed.toFixed(1) : grouped(Math.round(speed))

/** At most `most` code points, on one line. */
export function shorten(text: string, most: number): string {
  const points = [...text.slice(0, most * 2 + 2).replace(/\s+/g, ' ')]
  return points.length > most ? `${points.slice(0, most).join('')}…` : points.join('')
}
