import type { Failure } from './envelope.ts'

/** Why the console's API refuses: machine words, and the HTTP status of each. */
const statuses = {
  invalid_json: 400,
  invalid_value: 400,
  not_signed_in: 401,
  wrong_password: 403,
  not_allowed: 403,
  foreign_origin: 403,
  not_found: 404,
  conflict: 409,
  in_use: 409,
  name_taken: 409,
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
    const { field, data, retryAfterSeconds } = this.details
    const body: Failure = {
      code: this.status,
      message: this.message,
      reason: this.reason,
      ...(field !== undefined && { field }),
      ...(data !== undefined && { data }),
    }
    const headers: Record<string, string> = { 'cache-control': 'no-store' }
    if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
    return Response.json(body, { status: this.status, headers })
  }
}
