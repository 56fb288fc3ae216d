import { arrayIn, isJsonObject, objectIn } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import type { AnswerHeaders } from '../outbound/answer-parser.ts'
import { readErrorBody } from './error-body.ts'
import { type FailureClass, type FailureName, failureClasses } from './failures.ts'

const maxWaitMs = 3_600_000

/** How long an upstream asks to wait, an hour at most; undefined: it does not say. */
export function retryAfterMs(
  headers: AnswerHeaders,
  body: JsonObject | undefined,
  nowMs: number,
): number | undefined {
  const waitMs =
    numberOf(headers.get('retry-after-ms')) ??
    waitOf(headers.get('retry-after'), nowMs) ??
    waitInBody(body, nowMs) ??
    waitOfLimits(headers, nowMs)
  return waitMs === undefined ? undefined : Math.ceil(Math.min(Math.max(waitMs, 0), maxWaitMs))
}

/** The wait after a failure: rate limits belong to a key, and only its failures wait for them. */
export function waitFor(
  name: FailureName,
  headers: AnswerHeaders,
  body: JsonObject | undefined,
  nowMs: number,
): number | undefined {
  const { cools }: FailureClass = failureClasses[name]
  const isOfKey = cools?.scope === 'key' || cools?.scope === 'key-model'
  return retryAfterMs(isOfKey ? headers : withoutLimits(headers), body, nowMs)
}

function withoutLimits(headers: AnswerHeaders): Headers {
  const left = new Headers()
  for (const name of ['retry-after-ms', 'retry-after']) {
    const value = headers.get(name)
    if (value !== null) left.set(name, value)
  }
  return left
}

const numberOf = (text: string | null): number | undefined =>
  text !== null && /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined

/** Larger values are points in time: seconds since 1970, and milliseconds. */
const [leastSeconds, leastMilliseconds] = [1e9, 1e11]
const perUnit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds until a time: seconds, a length of time (`6m0s`), or a point in time. */
function waitOf(text: unknown, nowMs: number): number | undefined {
  if (typeof text !== 'string') return undefined
  const number = numberOf(text)
  if (number !== undefined) {
    if (number >= leastMilliseconds) return number - nowMs
    return number >= leastSeconds ? number * 1000 - nowMs : number * 1000
  }
  const trimmed = text.trim()
  if (/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) return lengthOf(trimmed)
  const isDate = /^([A-Z][a-z]{2,8}, |\d{4}-\d\d-\d\d)/.test(trimmed)
  const at = isDate ? Date.parse(trimmed) : Number.NaN
  return Number.isNaN(at) ? undefined : at - nowMs
}

function lengthOf(text: string): number {
  let sum = 0
  for (const [, count, unit] of text.matchAll(/([\d.]+)(ms|s|m|h|d)/g)) {
    sum += Number(count) * perUnit[unit as keyof typeof perUnit]
  }
  return sum
}

/** `x-ratelimit-reset-tokens`, `anthropic-ratelimit-input-tokens-reset`, and similar names. */
const resetNames = [
  [/^x-ratelimit-reset(-.+)?$/, (part: string) => `x-ratelimit-remaining${part}`],
  [/^anthropic-ratelimit(-.+)-reset$/, (part: string) => `anthropic-ratelimit${part}-remaining`],
] as const

/** Until every exhausted limit is reset. */
function waitOfLimits(headers: AnswerHeaders, nowMs: number): number | undefined {
  let longest: number | undefined
  headers.forEach((value, name) => {
    for (const [pattern, remainingName] of resetNames) {
      const part = pattern.exec(name)
      if (part === null) continue
      const remaining = headers.get(remainingName(part[1] ?? ''))
      // Some send the plain form without what remains, and only when nothing does.
      const isUsedUp = remaining === null ? part[1] === undefined : Number(remaining) <= 0
      const waitMs = isUsedUp ? waitOf(value, nowMs) : undefined
      if (waitMs !== undefined) longest = Math.max(longest ?? 0, waitMs)
    }
  })
  return longest
}

/** Google's `RetryInfo`, headers quoted by OpenRouter, ChatGPT's `resets_in_seconds`, or words. */
function waitInBody(body: JsonObject | undefined, nowMs: number): number | undefined {
  const error = objectIn(body, 'error') ?? objectIn(objectIn(body, 'response'), 'error') ?? body
  const info = arrayIn(error, 'details').find(
    (detail) => isJsonObject(detail) && typeof detail.retryDelay === 'string',
  )
  const delay = isJsonObject(info) ? waitOf(info.retryDelay, nowMs) : undefined
  return delay ?? waitInQuoted(error, nowMs) ?? waitInSeconds(error) ?? waitInWords(error)
}

function waitInQuoted(error: JsonObject | undefined, nowMs: number): number | undefined {
  const quoted = objectIn(objectIn(error, 'metadata'), 'headers')
  if (quoted === undefined) return undefined
  const headers = new Headers()
  for (const [name, value] of Object.entries(quoted).slice(0, 50)) {
    if (/^[\w-]+$/.test(name) && /^[\w :,.+-]+$/.test(String(value)))
      headers.set(name, String(value))
  }
  return waitOf(headers.get('retry-after'), nowMs) ?? waitOfLimits(headers, nowMs)
}

function waitInSeconds(error: JsonObject | undefined): number | undefined {
  const seconds = error?.resets_in_seconds
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined
}

const waitWords =
  /\b(?:try again|retry) (?:in|after) (?:((?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)\b|(\d+(?:\.\d+)?) (second|minute|hour)s?\b)/i

function waitInWords(error: JsonObject | undefined): number | undefined {
  for (const message of readErrorBody(error).messages) {
    const [, length, count, unit] = waitWords.exec(message) ?? []
    if (length !== undefined) return lengthOf(length.toLowerCase())
    if (count !== undefined) return lengthOf(`${count}${unit?.charAt(0).toLowerCase()}`)
  }
  return undefined
}
