import type { Failure } from './envelope.ts'
import type { Fault } from './faults.ts'

/** Why the console's API refuses: machine words, and the HTTP status of each. */
const statuses = {
  invalid_json: 400,
  invalid_value: 400,
  not_signed_in: 401,
  wrong_credentials: 401,
  wrong_passkey: 401,
  begin_again: 401,
  sign_in_again: 401,
  wrong_password: 403,
  wrong_code: 403,
  registration_closed: 403,
  setup_closed: 403,
  not_allowed: 403,
  foreign_origin: 403,
  not_found: 404,
  conflict: 409,
  in_use: 409,
  name_taken: 409,
  would_overdraw: 409,
  body_too_large: 413,
  content_type: 415,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
} as const

export type ApiErrorReason = keyof typeof statuses

interface Details {
  /** Path of the field at fault. */
  readonly field?: string
  /** What is wrong with it. */
  readonly fault?: Fault | undefined
  /** On a conflict: the present state. */
  readonly data?: unknown
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** A refusal of the console's API; thrown anywhere below a route, rendered in one place. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly reason: ApiErrorReason
  readonly details: Details

  constructor(reason: ApiErrorReason, message: string, details: Details = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : {})
    this.reason = reason
    this.details = details
  }

  get status(): number {
    return statuses[this.reason]
  }

  toResponse(): Response {
    const { field, fault, data, retryAfterSeconds } = this.details
    const body: Failure = {
      code: this.status,
      message: this.message,
      reason: this.reason,
      ...(field !== undefined && { field }),
      ...(fault !== undefined && { fault }),
      ...(data !== undefined && { data }),
    }
    const headers = new Headers({ 'cache-control': 'no-store' })
    if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds))
    return Response.json(body, { status: this.status, headers })
  }
}
