import { Type } from '@sinclair/typebox'
import { grouped, listed } from '../lib/format.ts'
import type { Limits } from '../store/ports/catalog.ts'
import { countLimitField, partField } from './kinds.ts'
import { fileProperties } from './resource.ts'
import { map, optional } from './schema-parts.ts'

const limit = <const Name extends string>(name: Name, help: string, flagHelp: string) =>
  countLimitField({
    ...{ as: name, column: name, restrains: `its limit ${name}`, help: `${help}; null: no limit.` },
    flag: { name: `--${name}`, value: '<number>', help: `${flagHelp} at most`, canSet: true },
  })

/** The limits of accounts, tokens, groups and channels. */
export const limitFields = {
  rpm: limit('rpm', 'Requests a minute', 'requests a minute'),
  tpm: limit('tpm', 'LLM tokens a minute, input and output', 'LLM tokens a minute'),
  concurrency: limit('concurrency', 'Requests at once', 'requests at once'),
}

/** The part of a resource that holds its limits; `help` names whose they are. */
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
