import type { Static } from '@sinclair/typebox'
import type { ValueKind } from '../resources/values.ts'
import { translateFailure } from './refusal-text.ts'
import { oneOf } from './shapes.ts'

/** What is wrong with a value, as a machine word: the console translates refusals by it. */
export const faults = [
  'missing',
  'not_known',
  'repeated',
  'too_long',
  'too_many',
  'unfit_name',
  'unfit_key',
  'unfit_url',
  'unfit_proxy',
  'unfit_ip_block',
  'unfit_country',
  'no_country_header',
  'unfit_email',
  'unfit_password',
  'unfit_whole_number',
  'unfit_choice',
  'unfit_duration',
  'unfit_time',
  'unfit_amount',
  'unfit_price',
  'unfit_multiplier',
  'unfit_domain',
  'unfit_colour',
  'unfit_size',
  'unfit_header',
  'unfit_line',
  'time_is_over',
  'probe_too_often',
  'tiers_must_rise',
  'costs_nothing',
  'keys_stay_at_home',
  'group_gone',
  'set_by_file',
  'own_account',
] as const

export const Fault = oneOf(
  faults,
  'Machine word for what is wrong with the field, where there is one.',
)
export type Fault = Static<typeof Fault>

export const faultOfKind: { readonly [kind in ValueKind]?: Fault } = {
  name: 'unfit_name',
  key: 'unfit_key',
  password: 'unfit_password',
  url: 'unfit_url',
  colour: 'unfit_colour',
  proxy: 'unfit_proxy',
  size: 'unfit_size',
  header: 'unfit_header',
  duration: 'unfit_duration',
  wait: 'unfit_duration',
  domain: 'unfit_domain',
  block: 'unfit_ip_block',
  country: 'unfit_country',
  email: 'unfit_email',
  'date-time': 'unfit_time',
  usd: 'unfit_amount',
  price: 'unfit_price',
  'tool-price': 'unfit_price',
  multiplier: 'unfit_multiplier',
}

/** The reasons of refusals, each with its HTTP status. */
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
  readonly field?: string
  readonly fault?: Fault | undefined
  /** On a conflict: the present state. */
  readonly data?: unknown
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** A refusal of the console's API: thrown below a route, rendered by `renderError`. */
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

  /** `request`: decides the language of the sentences. */
  toResponse(request?: Pick<Request, 'headers'>): Response {
    const { field, fault, data, retryAfterSeconds } = this.details
    const body = {
      code: this.status,
      message: this.message,
      reason: this.reason,
      ...(field !== undefined && { field }),
      ...(fault !== undefined && { fault }),
      ...(data !== undefined && { data }),
    }
    const headers = new Headers({ 'cache-control': 'no-store', vary: 'accept-language' })
    if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds))
    return Response.json(translateFailure(body, request), { status: this.status, headers })
  }
}
