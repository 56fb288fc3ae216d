import { type TSchema, Type } from '@sinclair/typebox'
import { orNull } from './shapes.ts'

const limitsOf = <Limit extends TSchema>(limit: (description: string) => Limit) =>
  Type.Object({
    rpm: limit('Requests a minute; null: no limit.'),
    tpm: limit('LLM tokens a minute, input and output; null: no limit.'),
    concurrency: limit('Requests at once; null: no limit.'),
  })

/** Limits of whatever has them. */
export const LimitsView = limitsOf((description) => orNull(Type.Integer(), description))

/** Limits to be set, which the rules of tollgate.yaml check: what is left out stays as it is. */
export const LimitsChange = Type.Partial(LimitsView)

/** The same, checked by their schema alone. */
export const CheckedLimitsChange = Type.Partial(
  limitsOf((description) =>
    orNull(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), description),
  ),
)
