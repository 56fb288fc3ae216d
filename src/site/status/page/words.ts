import type { State } from '../../../look/states.ts'
import { escapeHtml } from '../../../look/text.ts'
import { percent, shorten } from '../../figures.ts'
import type { StatusGroup } from '../schema.ts'
import type { Words } from './words-en.ts'

export type States = Readonly<Record<State, number>>

/** An operator's words as HTML: shortened, with a text direction of their own. */
export function freeText(text: string, most: number): string {
  return `<bdi>${escapeHtml(shorten(text, most))}</bdi>`
}

export const percentOf = ({ requests, failed }: StatusGroup['hours'][number]): string | null =>
  requests === 0 ? null : percent(Math.floor(((requests - failed) * 1e6) / requests) / 1e6)

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
