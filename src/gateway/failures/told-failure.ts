import { isJsonObject, parseJsonObject } from '../../protocols/json.ts'
import type { AnswerObserver, JsonObject } from '../../protocols/protocol.ts'
import { classifyError, type FailureName } from './failures.ts'

/** An observer that keeps in which words an answer was said to have failed. */
export interface FailureObserver extends AnswerObserver {
  /** The event or body that told of it; undefined: the answer has not failed, or not in an object. */
  told(): JsonObject | undefined
  /** The class of it; undefined: the answer has not failed. */
  failure(): FailureName | undefined
}

/** Keeps what the upstream of a protocol says of its failure: its class depends on all of that. */
export function observeFailure(observer: AnswerObserver, protocol: string): FailureObserver {
  const { seen } = observer
  let told: JsonObject | undefined
  return {
    seen,
    push(data, event, json) {
      const role = observer.push(data, event, json)
      if (seen.outcome === 'failed') told ??= json ?? parseJsonObject(data)
      return role
    },
    pushBody(body) {
      observer.pushBody(body)
      if (seen.outcome === 'failed') told ??= isJsonObject(body) ? body : undefined
    },
    missingEnd: () => observer.missingEnd?.() ?? '',
    told: () => told,
    failure: () => (seen.outcome === 'failed' ? classifyError(protocol, told) : undefined),
  }
}
