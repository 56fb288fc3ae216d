import type { FinishReason } from '../canonical/response.ts'

/** Source: the API's reference of `FinishReason`. What is newer than this list is `other`. */
const reasons = new Map<string, FinishReason>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  // The limit of one request; to go on takes a token that only this protocol has.
  ['CONTINUATION', 'length'],
  ['SAFETY', 'filter'],
  ['RECITATION', 'filter'],
  ['BLOCKLIST', 'filter'],
  ['PROHIBITED_CONTENT', 'filter'],
  ['SPII', 'filter'],
  ['IMAGE_SAFETY', 'filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'filter'],
  ['IMAGE_RECITATION', 'filter'],
  ['MODEL_ARMOR', 'filter'],
  ['MALFORMED_FUNCTION_CALL', 'failed'],
  ['MALFORMED_RESPONSE', 'failed'],
  ['UNEXPECTED_TOOL_CALL', 'failed'],
  ['TOO_MANY_TOOL_CALLS', 'failed'],
  ['LANGUAGE', 'other'],
  ['NO_IMAGE', 'other'],
  ['IMAGE_OTHER', 'other'],
  ['OTHER', 'other'],
])

/**
 * Why a candidate ended. The vendor has no word of its own for calls: they end with `STOP`, and calls
 * of tools that the request does not have, which are there for the client to answer, with another.
 */
export function decodeFinish(reason: string, hasCalls: boolean): FinishReason {
  if (hasCalls && endsOfCalls.has(reason)) return 'tool-calls'
  return reasons.get(reason) ?? 'other'
}

const endsOfCalls = new Set(['STOP', 'UNEXPECTED_TOOL_CALL'])

const words: { readonly [reason in FinishReason]: string } = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  filter: 'SAFETY',
  refusal: 'SAFETY',
  failed: 'MALFORMED_RESPONSE',
  pause: 'OTHER',
  other: 'OTHER',
}

/** The vendor's word for the end of an answer. */
export function encodeFinish(reason: FinishReason): string {
  return words[reason]
}
