import { createObservation, fail } from './canonical/observation.ts'
import { isJsonObject } from './json.ts'
import type { AnswerObserver } from './protocol.ts'

/** What an observer notes when an unstreamed answer is no JSON object. */
export const notAnObject = 'The upstream answered with something else than a JSON object.'

/** Watches an answer that uses nothing up: a count of tokens. It only tells that it has come. */
export function createPlainObserver(): AnswerObserver {
  const seen = createObservation()
  return {
    seen,
    push: () => 'pass',
    pushBody(body) {
      if (!isJsonObject(body)) return fail(seen, notAnObject)
      seen.phase = 'closed'
      seen.outcome = 'complete'
    },
  }
}
