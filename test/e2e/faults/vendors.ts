import { failureClasses } from '../../../src/gateway/failures/failures.ts'
import { waitFor } from '../../../src/gateway/failures/retry-after.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import { httpBytes, write } from '../../support/fault/steps.ts'
import {
  askedModel,
  type InnerError,
  innerErrors,
  type VendorError,
  vendorErrors,
} from '../../support/vendor-errors.ts'
import type { dialects } from '../dialects.ts'
import { both, type Ends, type Fault, failsInside, refused } from './fault.ts'

const kebab = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** Every error that vendors answer with, each in its own protocol. */
export const vendorFaults: Readonly<Record<string, Fault>> = Object.fromEntries(
  vendorErrors.map((error) => [kebab(error.name), faultOf(error)]),
)

function faultOf({ protocol, status, headers, body, expected }: VendorError): Fault {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { 'content-type': type = 'application/json', ...rest } = headers
  const bytes = httpBytes({ status, type, headers: Object.entries(rest), body: text })
  return {
    ...{ script: [write(bytes)], protocols: [protocol], upstreamModel: askedModel },
    ...{ ...both(endsOf(expected)), answers: { status, body: text } },
    ...waitOf(new Headers(headers), body, expected),
  }
}

function endsOf(expected: VendorError['expected']): Ends {
  if (expected === undefined) return refused
  return expected === 'model_unavailable'
    ? { kind: 'fails', as: expected, refusal: true }
    : { kind: 'fails', as: expected }
}

/** What an upstream asks to wait is what its channel cools for, and what clients are told. */
function waitOf(headers: Headers, body: unknown, expected: VendorError['expected']) {
  if (expected === undefined || failureClasses[expected].cools === null) return {}
  const told = waitFor(expected, headers, isJsonObject(body) ? body : undefined, Date.now())
  if (told === undefined) return {}
  const ms = Math.max(1_000, told)
  // A time of day comes closer while the tests run.
  const isMoment = [...headers.values()].some((value) => /\d\d:\d\d/.test(value))
  return { coolsForMs: isMoment ? ([ms - 120_000, ms] as const) : ([ms, ms] as const) }
}

/** Errors inside of answers that began with 200. */
export const innerFaults: Readonly<Record<string, Fault>> = Object.fromEntries(
  innerErrors.map((error) => [`inner-${kebab(error.name)}`, innerFaultOf(error)]),
)

function innerFaultOf({ protocol, event, expected }: InnerError): Fault {
  const type = 'type' in event ? `event: ${event.type}\n` : ''
  const text = `${type}data: ${JSON.stringify(event)}\n\n`
  const whole = httpBytes({ body: JSON.stringify(event) })
  const streamed = httpBytes({ type: 'text/event-stream', framing: 'chunked', body: text })
  return {
    script: ({ isStreamed }) => [write(isStreamed ? streamed : whole)],
    ...{ protocols: [protocol], whole: isWhole(event) ? failsInside(expected) : null },
    ...{ streamed: failsInside(expected), ...waitOf(new Headers(), event, expected) },
  }
}

/** Some are events only: no whole answer looks like that. */
function isWhole(event: object): boolean {
  return !('sequence_number' in event)
}

/** What a protocol's own error looks like that names nothing but its status. */
const named = (name: keyof typeof dialects, status: number): string =>
  JSON.stringify(
    name === 'gemini'
      ? { error: { code: status, message: 'Something is wrong.', status: 'UNKNOWN' } }
      : name === 'messages'
        ? { type: 'error', error: { type: 'other_error', message: 'Something is wrong.' } }
        : { error: { message: 'Something is wrong.', type: 'other_error', code: null } },
  )

const plainStatuses: Readonly<Record<number, Ends>> = {
  ...{ 400: refused, 404: refused, 409: refused, 415: refused, 422: refused },
  401: { kind: 'fails', as: 'upstream_auth' },
  402: { kind: 'fails', as: 'upstream_quota' },
  403: { kind: 'fails', as: 'upstream_auth' },
  408: { kind: 'fails', as: 'timeout_first_byte' },
  413: refused,
  429: { kind: 'fails', as: 'upstream_rate_limited' },
  ...Object.fromEntries(
    [500, 501, 502, 503, 504, 520, 524, 599].map((status) => [
      status,
      { kind: 'fails', as: 'upstream_failed' },
    ]),
  ),
  529: { kind: 'fails', as: 'upstream_overloaded' },
}

/** Statuses whose bodies say nothing more, in every protocol. */
export const statusFaults: Readonly<Record<string, Fault>> = Object.fromEntries(
  Object.entries(plainStatuses).map(([status, ends]) => [
    `status-${status}`,
    {
      script: ({ protocol = 'chat' }) => [
        write(httpBytes({ status: Number(status), body: named(protocol, Number(status)) })),
      ],
      ...both(ends),
    },
  ]),
)
