import { type Command, InvalidArgumentError } from 'commander'
import { grouped, listed } from '../lib/format.ts'
import type { Limits } from '../store/ports/catalog.ts'
import { orNull } from './values.ts'

/** The most that a limit can be, as in the configuration file. */
const most = 1_000_000_000

/** What `addLimitOptions` reads. */
export interface LimitOptions {
  readonly rpm?: number | 'none'
  readonly tpm?: number | 'none'
  readonly concurrency?: number | 'none'
}

/** Adds the options for limits; returns the command. */
export const addLimitOptions = (command: Command): Command =>
  command
    .option('--rpm <number>', 'requests a minute at most, or none', parseLimit)
    .option('--tpm <number>', 'LLM tokens a minute at most, or none', parseLimit)
    .option('--concurrency <number>', 'requests at once at most, or none', parseLimit)

function parseLimit(text: string): number | 'none' {
  if (text === 'none') return text
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= most) return limit
  throw new InvalidArgumentError(`Write a whole number from 1 to ${most}, or none.`)
}

/** The limits that were named; undefined when none was. */
export function namedLimits(options: LimitOptions): Partial<Limits> | undefined {
  const { rpm, tpm, concurrency } = options
  const named = {
    ...(rpm !== undefined && { rpm: orNull(rpm) }),
    ...(tpm !== undefined && { tpm: orNull(tpm) }),
    ...(concurrency !== undefined && { concurrency: orNull(concurrency) }),
  }
  return Object.keys(named).length === 0 ? undefined : named
}

/** Limits in a list: `600 rpm, 9,000 tpm, 5 at once`. */
export function describeLimits({ rpm, tpm, concurrency }: Limits): string {
  const parts = [
    [rpm, 'rpm'],
    [tpm, 'tpm'],
    [concurrency, 'at once'],
  ] as const
  const set = parts.flatMap(([limit, of]) => (limit === null ? [] : [`${grouped(limit)} ${of}`]))
  return listed(set, 'none')
}
