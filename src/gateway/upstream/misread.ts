import type { Observation } from '../../protocols/canonical/observation.ts'
import { isJsonObject } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import { createSseSplitter } from '../../protocols/sse.ts'
import type { Route } from '../admit/options.ts'
import type { FailureName } from '../failures/failures.ts'
import { type FailureObserver, observeFailure } from '../failures/told-failure.ts'
import type { SpentAnswer } from './answer.ts'

/** No answer at all; what it says it used is for the operator's comparison of bills. */
export interface Unusable {
  readonly kind: 'unusable'
  readonly failure: FailureName
  /** What broke it off; the failure is this one's then. */
  readonly error?: unknown
  readonly usageRaw: unknown
  /** The error in the answer, as the upstream wrote it. */
  readonly told?: JsonObject | undefined
}

/** Work all the same, of which nothing goes to the client. */
export type Spent = SpentAnswer & { readonly observer: FailureObserver }

/** Watches one answer of a route. */
export const observerOf = ({ operation, protocol }: Route) =>
  observeFailure(operation.createObserver(), protocol.name)

/**
 * Looks for work and for an error in what is not the form that was asked for: in a body where a stream
 * was, or the other way round. Without bytes it was too long to be read.
 */
export function misread(route: Route, bytes: Uint8Array | undefined): Spent | Unusable {
  const observer = observerOf(route)
  const { seen } = observer
  if (bytes === undefined) {
    seen.outcome = 'incomplete' // as far as anybody here knows
    return { kind: 'spent', observer, isLost: true }
  }
  const body = parseObject(bytes)
  if (isJsonObject(body)) observer.pushBody(body)
  else if (Array.isArray(body)) {
    // A stream of Gemini's without `alt=sse`.
    for (const item of body) if (isJsonObject(item)) observer.push('', '', item)
  } else {
    const splitter = createSseSplitter()
    for (const { frames } of [splitter.push(bytes), splitter.end()]) {
      for (const { data, event } of frames) observer.push(data, event)
    }
  }
  if (showsWork(seen)) return { kind: 'spent', observer, isLost: false }
  const failure = observer.failure() ?? 'upstream_invalid'
  return { kind: 'unusable', failure, told: observer.told(), usageRaw: seen.usageRaw }
}

/** Whether it is an answer of the vendor's all the same, and not the error that it failed with. */
export function showsWork({ outcome, usage, text, pending, foreign }: Observation): boolean {
  if (outcome === 'failed' || foreign) return false
  const hasUsed = usage !== undefined && Object.values(usage).some((count) => count !== 0)
  return outcome !== undefined || hasUsed || text.length > 0 || pending
}

const decoder = new TextDecoder()

/** Parses a JSON object or array; undefined for anything else. */
export function parseObject(bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined // not JSON: the caller treats it as an answer that can't be understood
  }
}
