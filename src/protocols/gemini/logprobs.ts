import type { TokenLogprob } from '../canonical/request.ts'
import { arrayIn, isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The probabilities of a candidate's LLM tokens; undefined when it tells none. */
export function decodeLogprobs(candidate: JsonObject): readonly TokenLogprob[] | undefined {
  const result = objectIn(candidate, 'logprobsResult')
  const top = arrayIn(result, 'topCandidates')
  const chosen = arrayIn(result, 'chosenCandidates').flatMap((token, index): TokenLogprob[] => {
    const known = decodeToken(token)
    const alternatives = top[index]
    const others = isJsonObject(alternatives) ? arrayIn(alternatives, 'candidates') : []
    if (known === undefined) return []
    return [{ ...known, top: others.flatMap((other) => decodeToken(other) ?? []) }]
  })
  return chosen.length === 0 ? undefined : chosen
}

function decodeToken(value: unknown): Omit<TokenLogprob, 'top'> | undefined {
  if (!isJsonObject(value)) return undefined
  const { token, logProbability } = value
  if (typeof token !== 'string') return undefined
  // A probability of 1 has the logarithm 0, which the vendor's JSON leaves out.
  return { token, logprob: typeof logProbability === 'number' ? logProbability : 0 }
}

/** Probabilities as `logprobsResult`. */
export function encodeLogprobs(logprobs: readonly TokenLogprob[]): JsonObject {
  return {
    chosenCandidates: logprobs.map(encodeToken),
    topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(encodeToken) })),
  }
}

const encodeToken = ({ token, logprob }: Omit<TokenLogprob, 'top'>): JsonObject => ({
  token,
  logProbability: logprob,
})
