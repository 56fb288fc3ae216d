import { Type } from '@sinclair/typebox'
import { grouped, listed } from '../lib/format.ts'
import type { Limits } from '../store/ports/catalog.ts'
import { countLimitField, partField } from './kinds.ts'
import { fileProperties } from './resource.ts'
import { map, optional } from './schema-parts.ts'

/** Limits of whatever can have them. */
export const limitFields = {
  rpm: countLimitField({
    ...{ as: 'rpm', column: 'rpm', restrains: 'its limit rpm' },
    help: 'Requests a minute; null: no limit.',
    flag: { name: '--rpm', value: '<number>', help: 'requests a minute at most', canSet: true },
  }),
  tpm: countLimitField({
    ...{ as: 'tpm', column: 'tpm', restrains: 'its limit tpm' },
    help: 'LLM tokens a minute, input and output; null: no limit.',
    flag: { name: '--tpm', value: '<number>', help: 'LLM tokens a minute at most', canSet: true },
  }),
  concurrency: countLimitField({
    ...{ as: 'concurrency', column: 'concurrency', restrains: 'its limit concurrency' },
    help: 'Requests at once; null: no limit.',
    flag: {
      name: '--concurrency',
      value: '<number>',
      help: 'requests at once at most',
      canSet: true,
    },
  }),
}

/** Their part of a resource; `help` says whose they are. */
export const limitsPart = (help: string) =>
  partField({
    ...{ as: 'limits', help, part: limitFields, title: 'Limits', isListed: true },
    show: describeLimits,
    file: optional(Type.Object(fileProperties(limitFields), { ...map, description: help })),
  })

/** For people: `600 rpm, 9,000 tpm, 5 at once`. */
function describeLimits({ rpm, tpm, concurrency }: Limits): string {
  const parts = [
    [rpm, 'rpm'],
    [tpm, 'tpm'],
    [concurrency, 'at once'],
  ] as const
  const set = parts.flatMap(([limit, of]) => (limit === null ? [] : [`${grouped(limit)} ${of}`]))
  return listed(set, 'none')
}
