import { Type } from '@sinclair/typebox'

const limit = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

const fields = {
  rpm: limit('Requests a minute; null: no limit.'),
  tpm: limit('LLM tokens a minute, input and output; null: no limit.'),
  concurrency: limit('Requests at once; null: no limit.'),
}

/** Limits of whatever has them. */
export const LimitsView = Type.Object(fields)

/** Limits to be set: what is left out stays as it is. */
export const LimitsChange = Type.Partial(LimitsView)
