import { InvalidArgumentError, Option } from 'commander'
import { nanoDecimals, parseDecimal } from '../billing/money.ts'
import { parseDateOrTime } from '../lib/clock.ts'
import { complaints } from '../resources/values.ts'

const ageUnitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Milliseconds since 1970 of a date (midnight UTC), a date-time with offset, or an age (`7d`). */
export function parseTime(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  if (isAgeUnit(unit)) return Date.now() - Number(count) * ageUnitsMs[unit]
  const time = parseDateOrTime(text)
  if (time === undefined)
    throw new InvalidArgumentError(
      'Write a date (2026-11-21), a date and time (2026-11-21T08:00:00Z) or an age (30m, 12h, 7d).',
    )
  return time
}

/** `--since` and `--until`; `from` says what begins there. */
export const spanOptions = (from = 'from this time on') => [
  new Option('--since <time>', `${from}: a date, a date-time, or an age like 7d`).argParser(
    parseTime,
  ),
  new Option('--until <time>', 'before this time, in the same forms').argParser(parseTime),
]

/** The named ends of a span. */
export const spanOf = ({ since, until }: { readonly since?: number; readonly until?: number }) => ({
  ...(since !== undefined && { since }),
  ...(until !== undefined && { until }),
})

const isAgeUnit = (unit: string | undefined): unit is keyof typeof ageUnitsMs =>
  unit !== undefined && unit in ageUnitsMs

export function parseWhole(text: string): number {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('Write a whole number.')
  return value
}

function parseUsd(text: string): number {
  const complaint = complaints.usd(text)
  const nano = parseDecimal(text, nanoDecimals)
  if (complaint === undefined && nano !== undefined) return nano
  throw new InvalidArgumentError(
    'Write USD as a plain number, 0 or more, with at most 9 decimals, such as 20 or 2.5.',
  )
}

export function parseAmount(text: string): number {
  const nano = parseUsd(text)
  if (nano > 0) return nano
  throw new InvalidArgumentError('It is nothing: write more than 0.')
}

const mostRows = 10_000

export type RowLimit = { readonly limit: number }

export const rowLimitOption = () =>
  new Option('--limit <n>', 'at most this many, the newest').argParser(parseRowLimit).default(50)

function parseRowLimit(text: string): number {
  const count = parseWhole(text)
  if (count >= 1 && count <= mostRows) return count
  throw new InvalidArgumentError(`Write a number from 1 to ${mostRows}.`)
}

/** A reason for the record, in one line. */
export function parseWords(text: string): string {
  const words = text.trim()
  if (words === '') throw new InvalidArgumentError('It is empty.')
  if (/\p{Cc}/u.test(words)) throw new InvalidArgumentError('Write one line of plain text.')
  if (words.length <= 500) return words
  throw new InvalidArgumentError('Write at most 500 characters.')
}

export function parsePort(text: string): number {
  const port = parseWhole(text)
  if (port < 0 || port > 65_535) throw new InvalidArgumentError('Ports go from 0 to 65535.')
  return port
}

/** `NAME=VALUE` of an option that can be given several times. */
export function splitPair(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=')
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** The names of `a, b`; an empty text is none. */
export const withCommas = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name, _, all) => name !== '' || all.length > 1)
