import { Type } from '@sinclair/typebox'
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
    ...{ as: 'limits', help, part: limitFields },
    file: optional(Type.Object(fileProperties(limitFields), { ...map, description: help })),
  })
