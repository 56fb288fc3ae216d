import type { EncodeContext } from '../canonical/codec.ts'
import type { ServiceTier } from '../canonical/request.ts'
import { emptyUsage, type Usage } from '../canonical/usage.ts'
import { countIn, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeUsage } from './usage.ts'

/** What every chunk of an answer says of it, as well as a whole one. */
export interface AnswerHead {
  readonly id: string | undefined
  readonly model: string | undefined
  readonly createdAt: number | undefined
}

/** Reads it; Azure and Snowflake send empty texts and 0 for what they do not tell. */
export function decodeHead(answer: JsonObject): AnswerHead {
  return {
    id: stringIn(answer, 'id'),
    model: stringIn(answer, 'model'),
    createdAt: countIn(answer, 'created') || undefined,
  }
}

/** The beginning of an answer for a client; the upstream's id stays when it looks like one. */
export function encodeHead(
  { id, createdAt }: Pick<Partial<AnswerHead>, 'id' | 'createdAt'>,
  object: string,
  context: EncodeContext,
): JsonObject {
  return {
    id: id?.startsWith('chatcmpl-') ? id : `chatcmpl-${context.requestId}`,
    object,
    created: createdAt ?? context.createdAt,
    model: context.model,
  }
}

/** The usage report in a chunk or answer. Groq has that of a stream in an object of its own. */
export function usageIn(answer: JsonObject): unknown {
  return answer.usage ?? objectIn(answer, 'x_groq')?.usage
}

/** The service tier that an answer tells, where it is one that all know. */
export function decodeTier(answer: JsonObject): ServiceTier | undefined {
  return tiers.find((tier) => tier === answer.service_tier)
}

const tiers = ['auto', 'default', 'flex', 'priority'] as const

/** The usage to report. Where the upstream tells none, the input is as it was estimated. */
export function reportUsage(usage: Usage | undefined, context: EncodeContext): JsonObject {
  return encodeUsage(usage ?? { ...emptyUsage, inputTokens: context.estimatedInputTokens })
}
