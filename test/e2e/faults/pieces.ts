import type { FaultRequest } from '../../support/fault/requests.ts'
import {
  cutAt,
  gate,
  type HttpAnswer,
  httpBytes,
  type Step,
  type Steps,
  wait,
  write,
} from '../../support/fault/steps.ts'
import { dialectOf, usualTokens, wellStreamed, wellWhole, words } from '../../support/fault/well.ts'
import { wholeStream } from '../dialects.ts'
import { askedIn } from './rows.ts'

/** The bytes of a regular answer. */
export const wellBytes = (request: FaultRequest): Uint8Array =>
  request.isStreamed ? wellStreamed(dialectOf(request)) : wellWhole(dialectOf(request))

/** Until the client has the first words. */
export const untilHeard = ({ text }: FaultRequest): Step => gate(askedIn(text)?.question ?? '')

/** Until the client of a stream has the last words: what is torn down takes along what was not read. */
export const untilAllHeard = ({ text }: FaultRequest): Step =>
  gate(`all of ${askedIn(text)?.question ?? ''}`)

/** Cut in the middle: of a stream, when its first words are there. */
export function half(request: FaultRequest, ...then: Steps): Steps {
  const bytes = wellBytes(request)
  const at = request.isStreamed ? Buffer.from(bytes).indexOf(words[1]) - 3 : bytes.length - 30
  // What is torn down takes along what has not arrived.
  return cutAt(bytes, at, request.isStreamed ? untilHeard(request) : wait(50), ...then)
}

/** What `half` has left out. */
export function otherHalf(request: FaultRequest): Steps {
  const [first] = half(request)
  const taken = first?.do === 'write' ? first.bytes.length : 0
  return [write(wellBytes(request).subarray(taken))]
}

/** A regular answer without its head. */
export function wellBody(request: FaultRequest): string {
  const dialect = dialectOf(request)
  return request.isStreamed
    ? wholeStream(dialect, usualTokens, words)
    : JSON.stringify(dialect.body(usualTokens))
}

/** The type of a regular answer. */
export const wellType = ({ isStreamed }: FaultRequest): string =>
  isStreamed ? 'text/event-stream' : 'application/json'

/** A regular answer but for its head. */
export const wellBut = (request: FaultRequest, answer: HttpAnswer): Steps => [
  write(httpBytes({ type: wellType(request), body: wellBody(request), ...answer })),
]
