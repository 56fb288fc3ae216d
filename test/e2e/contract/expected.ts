import { expect } from 'bun:test'
import type { RawAnswer } from '../raw-client.ts'
import type { Endpoint, Shape } from './endpoints.ts'

/** What a request must be answered with, read off SPEC 7 and CONTRACT 2 by hand. */
export interface Expected {
  readonly status: number
  /** `x-tollgate-reason`. */
  readonly reason: string
  /** CONTRACT 2.4's machine word; the 401s have none. */
  readonly code?: string
  /** What the message must say. */
  readonly says?: RegExp
  /** Path of the field at fault, where the shape has room for it. */
  readonly param?: string
}

const invalidKey = { code: 'INVALID_API_KEY', message: 'Invalid API key' }

/** SPEC 7.2 and CONTRACT 2.1: reason → body. */
const keyBodies: Readonly<Record<string, { readonly code: string; readonly message: string }>> = {
  missing: {
    code: 'API_KEY_REQUIRED',
    message:
      'API key is required in Authorization header (Bearer scheme), x-api-key header or x-goog-api-key header',
  },
  unknown: invalidKey,
  deleted: invalidKey,
  disabled: invalidKey,
  expired: invalidKey,
  balance: { code: 'INSUFFICIENT_BALANCE', message: 'Insufficient account balance' },
}

const geminiKeyMessages: Readonly<Record<string, string>> = {
  missing: 'API key is required',
  unknown: 'Invalid API key',
  deleted: 'Invalid API key',
  disabled: 'Invalid API key',
  expired: 'Invalid API key',
  balance: 'Insufficient account balance',
}

/** CONTRACT 2.4: status → [chat and responses type, messages type, gemini status]. */
const words: Readonly<Record<number, readonly [string, string, string]>> = {
  400: ['invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
  403: ['permission_error', 'permission_error', 'PERMISSION_DENIED'],
  404: ['invalid_request_error', 'not_found_error', 'NOT_FOUND'],
  413: ['invalid_request_error', 'request_too_large', 'INVALID_ARGUMENT'],
  415: ['invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
  429: ['rate_limit_error', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  500: ['api_error', 'api_error', 'INTERNAL'],
  502: ['api_error', 'api_error', 'UNAVAILABLE'],
  504: ['api_error', 'timeout_error', 'DEADLINE_EXCEEDED'],
}

/** The whole body of an error in a protocol's shape. */
function errorBody(shape: Shape, expected: Expected, requestId: string | null): unknown {
  const { status, code, param = null } = expected
  const [openai, messages, gemini] = words[status] ?? ['', '', '']
  const message = expect.stringMatching(expected.says ?? /\S/) as unknown
  if (shape === 'messages')
    return { type: 'error', error: { type: messages, message }, request_id: requestId }
  if (shape === 'gemini') return { error: { code: status, message, status: gemini } }
  return { error: { message, type: openai, param, code } }
}

function keyBody(keyShape: Endpoint['keyShape'], reason: string): unknown {
  if (keyShape === 'plain') return keyBodies[reason]
  const message = geminiKeyMessages[reason]
  return { error: { code: 401, message, status: 'UNAUTHENTICATED' } }
}

const idPattern = /^req_[0-9a-f]{32}$/

/** Compares an answer with what it must be: status, headers and body, all of them. */
export function expectError(
  answer: RawAnswer,
  shape: Shape,
  keyShape: Endpoint['keyShape'],
  expected: Expected,
): void {
  const requestId = answer.headers.get('x-request-id')
  const body: unknown =
    expected.status === 401
      ? keyBody(keyShape, expected.reason)
      : errorBody(shape, expected, requestId)
  expect({
    status: answer.status,
    contentType: answer.headers.get('content-type'),
    reason: answer.headers.get('x-tollgate-reason'),
    body: JSON.parse(answer.body) as unknown,
  }).toEqual({
    status: expected.status,
    contentType: 'application/json',
    reason: expected.reason,
    body,
  })
  expectHeaders(answer)
}

/** Every answer of a model endpoint has an id of ours and nothing of the upstream's headers. */
export function expectHeaders(answer: RawAnswer): void {
  expect(answer.headers.get('x-request-id')).toMatch(idPattern)
  const ours = new Set([
    'content-type',
    'content-length',
    'transfer-encoding',
    'cache-control',
    'date',
    'connection',
    'x-request-id',
    'request-id',
    'x-tollgate-reason',
    'retry-after',
    'accept-encoding',
  ])
  expect([...answer.headers.keys()].filter((name) => !ours.has(name))).toEqual([])
}

/** SPEC 7.3: a path or method that does not exist. */
export function expectPageNotFound(answer: RawAnswer, method: string): void {
  expect({
    status: answer.status,
    contentType: answer.headers.get('content-type'),
    body: answer.body,
  }).toEqual({
    status: 404,
    contentType: 'text/plain',
    body: method === 'HEAD' ? '' : '404 page not found',
  })
}
