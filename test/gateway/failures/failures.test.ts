import { describe, expect, test } from 'bun:test'
import {
  classifyFailure,
  decisive,
  type Failure,
  type FailureClass,
  type FailureName,
  failureClasses,
  finalError,
} from '../../../src/gateway/failures/failures.ts'
import { ConnectTimeout } from '../../../src/gateway/outbound/dial.ts'
import { AddressRefused, HostNotFound } from '../../../src/gateway/outbound/outbound.ts'
import { innerErrors, vendorErrors } from '../../support/vendor-errors.ts'

const classes: [FailureName, FailureClass][] = Object.entries(failureClasses) as never

describe('the table', () => {
  test('every class is reached by something', () => {
    const reached = new Set<FailureName | undefined>([
      ...vendorErrors.map(({ expected }) => expected),
      ...innerErrors.map(({ expected }) => expected),
      ...thrown.map(([, name]) => name),
      ...(['first_byte', 'idle', 'total'] as const).map((expiry) => `timeout_${expiry}` as const),
    ])
    expect(classes.map(([name]) => name).filter((name) => !reached.has(name))).toEqual([])
  })

  test('another channel is asked, but where none can do better or no time is left', () => {
    const last = classes.filter(([, { retry }]) => !retry).map(([name]) => name)
    expect(last).toEqual(['timeout_total', 'client_fault'])
  })

  test('R6: what is the client’s fault cools nothing', () => {
    const clients = classes.filter(([, row]) => row.fault === 'client')
    expect(clients.length).toBeGreaterThan(0)
    for (const [name, { cools }] of clients) expect([name, cools]).toEqual([name, null])
  })

  test('R5: what may be one model’s fault leaves the channel’s other models alone', () => {
    for (const [name, { fault, cools }] of classes) {
      if (cools?.scope !== 'channel') continue
      expect(['address_refused', 'timeout_connect', 'connect_failed', 'tls_failed']).toContain(name)
      expect(fault).not.toBe('model')
    }
    for (const name of ['upstream_failed', 'upstream_invalid', 'timeout_first_byte'] as const)
      expect(failureClasses[name].cools).toMatchObject({ scope: 'model', strikes: 2 })
  })

  test('R3: a rate limit without a wait cools for seconds, and what cools has a cap', () => {
    expect(failureClasses.upstream_rate_limited.cools?.baseMs).toBeLessThanOrEqual(5000)
    for (const [, { cools }] of classes) {
      if (cools === null) continue
      expect(cools.strikes).toBeGreaterThan(0)
      expect(cools.baseMs).toBeGreaterThanOrEqual(1000)
      expect(cools.capMs).toBeGreaterThan(cools.baseMs)
      expect(cools.capMs).toBeLessThanOrEqual(600_000)
    }
  })

  test('every class is told in sentences, without names', () => {
    for (const [, { message, why }] of classes) {
      for (const text of [message, why]) expect(text).toMatch(/^[A-Z][^{}$]*\.$/)
    }
  })
})

const coded = (code: string) => Object.assign(new Error('to 10.0.0.1 failed'), { code })

const thrown: readonly (readonly [unknown, FailureName])[] = [
  [new AddressRefused('x is the private address 10.0.0.1'), 'address_refused'],
  [new ConnectTimeout('no connection in time'), 'timeout_connect'],
  [new HostNotFound('x'), 'connect_failed'],
  ...(
    [
      ['ECONNREFUSED', 'connect_failed'],
      ['ConnectionRefused', 'connect_failed'],
      ['FailedToOpenSocket', 'connect_failed'],
      ['ERR_PROXY_TUNNEL', 'connect_failed'],
      ['ENOTFOUND', 'connect_failed'],
      ['EAI_AGAIN', 'connect_failed'],
      ['DNS_ETIMEOUT', 'connect_failed'],
      ['EHOSTUNREACH', 'connect_failed'],
      ['ENETUNREACH', 'connect_failed'],
      ['EPROTO', 'tls_failed'],
      ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_failed'],
      ['CERT_HAS_EXPIRED', 'tls_failed'],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_failed'],
      ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_failed'],
      ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed'],
      ['EMFILE', 'gateway_exhausted'],
      ['ENOBUFS', 'gateway_exhausted'],
      ['ZlibError', 'upstream_invalid'],
      ['BrotliDecompressionError', 'upstream_invalid'],
      ['ZstdDecompressionError', 'upstream_invalid'],
      ['ECONNRESET', 'connection_lost'],
      ['Malformed_HTTP_Response', 'connection_lost'],
    ] as const
  ).map(([code, name]) => [coded(code), name] as const),
  [new Error('no code'), 'connection_lost'],
  ['not even an error', 'connection_lost'],
]

test.each(thrown.map(([error, name]) => [nameOf(error), name, error] as const))(
  'thrown: %s is %s',
  (_what, name, error) => expect(classifyFailure(error)).toBe(name),
)

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.name
}

describe('what the client is told when no channel has answered', () => {
  const failed: Failure = { name: 'upstream_failed', status: 500 }
  const lost: Failure = { name: 'connection_lost', status: null }
  const missing: Failure = { name: 'model_unavailable', status: 404 }
  const limited = (retryAfterMs?: number): Failure => ({
    ...{ name: 'upstream_rate_limited', status: 429 },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
  const told = (...failures: Failure[]) => {
    const { kind, details } = finalError(failures)
    return [kind, details.retryAfter]
  }

  test('nobody was asked', () => {
    expect(told()).toEqual(['no_channel', undefined])
    expect(decisive([])).toBeUndefined()
  })

  test.each(classes)('%s, alone', (name, { answer, message }) => {
    const error = finalError([{ name, status: null }])
    expect([error.kind, error.message]).toEqual([answer, message])
    const waits: { readonly [kind: string]: number } = { channels_busy: 5, overloaded: 2 }
    expect(error.details.retryAfter).toBe(waits[answer])
  })

  test('the last one speaks', () => {
    expect(told(lost, failed)).toEqual(['upstream_error', undefined])
    expect(told(failed, { name: 'timeout_idle', status: 200 })).toEqual([
      'upstream_timeout',
      undefined,
    ])
  })

  test('a rate limit outweighs the rest, with the shortest known wait', () => {
    expect(told(limited(9000), failed, limited(7001), lost)).toEqual(['channels_busy', 8])
    expect(told(limited(), failed)).toEqual(['channels_busy', 5])
    expect(told(limited(), limited(60_000))).toEqual(['channels_busy', 60])
    expect(told(limited(0))).toEqual(['channels_busy', 1])
    const busy: Failure = { name: 'upstream_failed', status: 503, retryAfterMs: 1000 }
    expect(told(limited(9000), busy)).toEqual(['channels_busy', 9])
  })

  test('an upstream’s 429 is a 429, whatever it is for', () => {
    for (const name of ['upstream_quota', 'upstream_overloaded', 'request_too_large'] as const) {
      const { kind, message } = finalError([{ name, status: 429 }, failed])
      expect([kind, message]).toEqual([
        'channels_busy',
        failureClasses.upstream_rate_limited.message,
      ])
    }
    expect(told({ name: 'upstream_quota', status: 402 })).toEqual(['upstream_error', undefined])
  })

  test('that a model is missing is told only if nothing else is', () => {
    expect(decisive([failed, missing])).toBe(failed)
    expect(decisive([missing, limited(), missing])?.name).toBe('upstream_rate_limited')
    const other: Failure = { ...missing }
    expect(decisive([missing, other])).toBe(other)
  })

  test('the request’s own fault is told before all: waiting does not help against it', () => {
    const faulty: Failure = { name: 'client_fault', status: 200 }
    expect(decisive([limited(), faulty])).toBe(faulty)
  })
})
