import { describe, expect, test } from 'bun:test'
import { retryAfterMs, waitFor } from '../../../src/gateway/failures/retry-after.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { vendorErrors } from '../../support/vendor-errors.ts'

const now = Date.UTC(2026, 0, 1, 12, 0, 0)
const wait = (headers: Record<string, string>, body?: JsonObject) =>
  retryAfterMs(new Headers(headers), body, now)
const inSeconds = (seconds: number) => new Date(now + seconds * 1000)

const hour = 3_600_000

describe('Retry-After', () => {
  test.each([
    ['7', 7000],
    ['0', 0],
    ['1.5', 1500],
    [' 7 ', 7000],
    [inSeconds(60).toUTCString(), 60_000],
    [inSeconds(-60).toUTCString(), 0],
    [inSeconds(90).toISOString(), 90_000],
    ['-5', 0],
    ['86400', hour],
    ['99999999999999999999', hour],
    ['9'.repeat(400), hour],
    ['soon', undefined],
    ['', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['Wed, 99 Foo 2026', undefined],
    ['2026', 2_026_000],
  ])('%p is %p ms', (text, expected) => {
    expect(wait({ 'retry-after': text })).toBe(expected as never)
  })

  test('the exact one comes first, and nonsense hides nothing', () => {
    expect(wait({ 'retry-after': '7', 'retry-after-ms': '6500.2' })).toBe(6501)
    expect(wait({ 'retry-after': '7', 'retry-after-ms': 'soon' })).toBe(7000)
    const limits = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '9s' }
    expect(wait({ 'retry-after': '7', ...limits })).toBe(7000)
    expect(wait({ 'retry-after': 'soon', ...limits })).toBe(9000)
  })
})

describe('limits that are used up', () => {
  test.each([
    ['1s', 1000],
    ['6m0s', 360_000],
    ['12ms', 12],
    ['7.66s', 7660],
    ['2m59.56s', 179_560],
    ['1h', hour],
    ['1d2h', hour],
    ['10', 10_000],
    ['a while', undefined],
    ['-3', 0],
  ])('x-ratelimit-reset-requests: %s', (text, expected) => {
    const reset = { 'x-ratelimit-reset-requests': text }
    expect(wait({ ...reset, 'x-ratelimit-remaining-requests': '0' })).toBe(expected as never)
    expect(wait({ ...reset, 'x-ratelimit-remaining-requests': '3' })).toBeUndefined()
    expect(wait(reset)).toBeUndefined()
  })

  test.each(['requests', 'tokens', 'input-tokens', 'output-tokens'])(
    'anthropic-ratelimit-%s-reset',
    (what) => {
      const reset = { [`anthropic-ratelimit-${what}-reset`]: inSeconds(33).toISOString() }
      expect(wait({ ...reset, [`anthropic-ratelimit-${what}-remaining`]: '0' })).toBe(33_000)
      expect(wait({ ...reset, [`anthropic-ratelimit-${what}-remaining`]: '1' })).toBeUndefined()
    },
  )

  test('of several, all are waited for', () => {
    const headers = {
      ...{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '8s' },
      ...{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '3s' },
      ...{ 'x-ratelimit-remaining-images': '4', 'x-ratelimit-reset-images': '59s' },
    }
    expect(wait(headers)).toBe(8000)
  })

  test.each([
    [String((now + 20_000) / 1000), 20_000],
    [String(now + 20_000), 20_000],
    [String(now - 20_000), 0],
    ['20', 20_000],
  ])('x-ratelimit-reset: %s', (text, expected) => {
    expect(wait({ 'x-ratelimit-reset': text })).toBe(expected)
    expect(wait({ 'x-ratelimit-reset': text, 'x-ratelimit-remaining': '0' })).toBe(expected)
    expect(wait({ 'x-ratelimit-reset': text, 'x-ratelimit-remaining': '2' })).toBeUndefined()
  })
})

describe('in the body', () => {
  const info = (retryDelay: unknown) => ({
    error: { code: 429, details: [7, { '@type': 'QuotaFailure' }, { retryDelay }] },
  })

  test.each([
    ['34s', 34_000],
    ['34.074824224s', 34_075],
    ['0s', 0],
    ['90000s', hour],
    ['later', undefined],
    [34, undefined],
  ])('Google’s RetryInfo: %p', (delay, expected) => {
    expect(wait({}, info(delay))).toBe(expected as never)
  })

  test.each([
    ['Please try again in 11.054s.', 11_054],
    ['Please try again in 1m30s.', 90_000],
    ['Please try again in 120ms.', 120],
    ['Please try again in 6 minutes.', 360_000],
    ['Please retry after 86400 seconds.', hour],
    ['please try again after 1 seconds', 1000],
    ['Try again in 5', undefined],
    ['Please try again later.', undefined],
  ])('in words: %s', (message, expected) => {
    const error = { code: 'rate_limit_exceeded', message }
    expect(wait({}, { error })).toBe(expected as never)
    expect(wait({}, error)).toBe(expected as never)
    expect(wait({}, { type: 'response.failed', response: { error } })).toBe(expected as never)
  })

  test('headers that a router quotes', () => {
    const quoted = (headers: unknown) => ({ error: { code: 429, metadata: { headers } } })
    const reset = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(now + 9000) }
    expect(wait({}, quoted(reset))).toBe(9000)
    expect(wait({}, quoted({ 'Retry-After': 4 }))).toBe(4000)
    expect(wait({}, quoted({ 'no name': 'x', 'retry-after': 'a\r\nb: c' }))).toBeUndefined()
  })

  test('seconds until a plan’s window begins again', () => {
    const error = { type: 'usage_limit_reached', resets_in_seconds: 90 }
    expect(wait({}, { error })).toBe(90_000)
    expect(wait({}, { error: { ...error, resets_in_seconds: Number.NaN } })).toBeUndefined()
  })
})

describe('a failure', () => {
  const limits = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }
  const waitOf = (name: Parameters<typeof waitFor>[0], headers: Record<string, string>) =>
    waitFor(name, new Headers(headers), undefined, now)

  test('of a key waits for the limits of that key', () => {
    expect(waitOf('upstream_rate_limited', limits)).toBe(360_000)
    expect(waitOf('upstream_quota', limits)).toBe(360_000)
  })

  test('of a model does not: other keys have limits of their own', () => {
    expect(waitOf('upstream_failed', limits)).toBeUndefined()
    expect(waitOf('upstream_overloaded', limits)).toBeUndefined()
    expect(waitOf('upstream_overloaded', { ...limits, 'retry-after': '7' })).toBe(7000)
  })
})

test('whatever a vendor sends, the wait is none or within an hour', () => {
  for (const { headers, body } of vendorErrors) {
    const waitMs = retryAfterMs(new Headers(headers), body as JsonObject, now) ?? 0
    expect(waitMs).toBeWithin(0, hour + 1)
  }
})
