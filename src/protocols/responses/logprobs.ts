import type { TokenLogprob } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'

/** As the vendor writes them, bytes included. */
export function encodeLogprobs(logprobs: readonly TokenLogprob[]): JsonObject[] {
  return logprobs.map((one) => ({ ...encodeOne(one), top_logprobs: one.top.map(encodeOne) }))
}

function encodeOne({ token, logprob, bytes }: Omit<TokenLogprob, 'top'>): JsonObject {
  return { token, logprob, bytes: bytes ?? [...new TextEncoder().encode(token)] }
}
