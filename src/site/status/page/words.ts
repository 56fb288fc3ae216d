import { grouped } from '../../../lib/format.ts'
import { escapeHtml } from '../../../look/text.ts'
import type { State } from '../document.ts'
import type { StatusGroup } from '../schema.ts'
import type { Words } from './words-en.ts'

export type States = Readonly<Record<State, number>>

/** An operator's words as HTML: shortened, with a text direction of their own. */
export function freeText(text: string, most: number): string {
  return `<bdi>${escapeHtml(shorten(text, most))}</bdi>`
}

/** At most `most` code points, on one line. */
export function shorten(text: string, most: number): string {
  const points = [...text.slice(0, most * 2 + 2).replace(/\s+/g, ' ')]
  return points.length > most ? `${points.slice(0, most).join('')}…` : points.join('')
}

/** The succeeded part, rounded down: 100% means no failure. */
export function percent(ratio: number | null): string | null {
  if (ratio === null) return null
  if (ratio === 1) return '100%'
  return `${(Math.floor(Math.round(ratio * 1e6) / 100) / 100).toFixed(2)}%`
}

export const percentOf = ({ requests, failed }: StatusGroup['hours'][number]): string | null =>
  requests === 0 ? null : percent(Math.floor(((requests - failed) * 1e6) / requests) / 1e6)

/** A duration: `640 ms`, `2.1 s`. Rounded up: nothing looks faster than it was. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.ceil(ms)} ms` : `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`
}

/** LLM tokens a second: with a decimal where it tells something. */
export const speedText = (speed: number): string =>
  speed < 100 ? speed.toFixed(1) : grouped(Math.round(speed))

export const count = grouped

/** A time to the minute, in UTC, also machine-readable. */
export const minuteHtml = (ms: number, words: Words): string =>
  `${timeHtml(ms, `${words.day(new Date(ms))} ${clockOf(ms)}`)} UTC`

/** A time to the second. */
export function secondHtml(ms: number, words: Words): string {
  const date = new Date(ms)
  const text = `${words.day(date)} ${date.toISOString().slice(11, 19)}`
  return `<time datetime="${date.toISOString().slice(0, 19)}Z">${text}</time> UTC`
}

/** A span; a common day is written once. */
export function spanHtml(from: number, to: number, words: Words): string {
  const [first, last] = [words.day(new Date(from)), words.day(new Date(to))]
  const end = timeHtml(to, first === last ? clockOf(to) : `${last} ${clockOf(to)}`)
  return `${timeHtml(from, `${first} ${clockOf(from)}`)} – ${end} UTC`
}

const clockOf = (ms: number) => new Date(ms).toISOString().slice(11, 16)

const timeHtml = (ms: number, text: string) =>
  `<time datetime="${new Date(ms).toISOString().slice(0, 16)}Z">${text}</time>`
