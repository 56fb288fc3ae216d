import type { Command } from 'commander'
import { grouped, listed } from '../lib/format.ts'
import { limitFields } from '../resources/limits.ts'
import type { Limits } from '../store/ports/catalog.ts'
import { addFieldOptions, writtenFields } from './field-options.ts'

/** What `addLimitOptions` reads. */
export interface LimitOptions {
  readonly rpm?: number | 'none'
  readonly tpm?: number | 'none'
  readonly concurrency?: number | 'none'
}

/** Adds the options for limits. */
export const addLimitOptions = (command: Command): void => addFieldOptions(command, limitFields)

/** The limits that were named; undefined when none was. */
export function namedLimits({ rpm, tpm, concurrency }: LimitOptions): Partial<Limits> | undefined {
  const named = writtenFields(limitFields, { rpm, tpm, concurrency })
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
