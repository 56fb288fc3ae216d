import type { Words } from './words.ts'

/** A time to the minute, in UTC, with the same for machines. */
export const minuteHtml = (ms: number, words: Words): string =>
  `${timeHtml(ms, `${words.day(new Date(ms))} ${clockOf(ms)}`)} UTC`

/** The same to the second. */
export function secondHtml(ms: number, words: Words): string {
  const date = new Date(ms)
  const text = `${words.day(date)} ${date.toISOString().slice(11, 19)}`
  return `<time datetime="${date.toISOString().slice(0, 19)}Z">${text}</time> UTC`
}

/** From a time to another; the day is said once where it is the same. */
export function spanHtml(from: number, to: number, words: Words): string {
  const [first, last] = [words.day(new Date(from)), words.day(new Date(to))]
  const end = timeHtml(to, first === last ? clockOf(to) : `${last} ${clockOf(to)}`)
  return `${timeHtml(from, `${first} ${clockOf(from)}`)} – ${end} UTC`
}

const clockOf = (ms: number) => new Date(ms).toISOString().slice(11, 16)

const timeHtml = (ms: number, text: string) =>
  `<time datetime="${new Date(ms).toISOString().slice(0, 16)}Z">${text}</time>`
