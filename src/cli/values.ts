import { InvalidArgumentError } from 'commander'
import { parseDateTime } from '../app/config/values.ts'

const ageUnitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * A point in time, in milliseconds since 1970: a date (midnight UTC), a date-time with its offset,
 * or an age such as `7d`.
 */
export function parseTime(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  if (isAgeUnit(unit)) return Date.now() - Number(count) * ageUnitsMs[unit]
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const time = parseDateTime(isDate ? `${text}T00:00:00Z` : text)
  if (time === undefined)
    throw new InvalidArgumentError(
      'Write a date (2026-11-21), a date and time (2026-11-21T08:00:00Z) or an age (30m, 12h, 7d).',
    )
  return time
}

const isAgeUnit = (unit: string | undefined): unit is keyof typeof ageUnitsMs =>
  unit !== undefined && unit in ageUnitsMs

/** A whole number, such as the id of a token. */
export function parseWhole(text: string): number {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('Write a whole number.')
  return value
}

/** A port to listen on. */
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
