import type { FaultWord, StepName, WayWord } from './schema.ts'

export interface Cause {
  readonly fault: FaultWord
  /** The step that examines it. */
  readonly step: StepName
  /** What to do if no step finds better advice. */
  readonly ways: readonly WayWord[]
}

const request = { fault: 'client', step: 'record', ways: ['fix_request'] } as const
const token = { fault: 'token', step: 'token', ways: ['new_token'] } as const
const account = { fault: 'account', step: 'token', ways: ['add_balance'] } as const
const limit = { fault: 'client', step: 'record', ways: ['slow_down'] } as const
const upstream = { fault: 'upstream', step: 'record', ways: ['retry', 'try_other_group'] } as const
const gateway = { fault: 'gateway', step: 'record', ways: ['retry', 'report'] } as const

/** Every cause that a request can be recorded with. */
const causes: Readonly<Record<string, Cause>> = {
  invalid_json: request,
  missing_parameter: request,
  invalid_value: request,
  unsupported_parameter: request,
  conflicting_parameters: request,
  max_cost_exceeded: request,
  unsupported_action: request,
  not_offered: request,
  body_too_large: request,
  unsupported_encoding: request,
  upstream_refused: request,
  response_not_found: request,
  receipt_not_found: request,
  previous_response_not_found: request,
  thread_not_found: request,
  response_in_progress: { ...request, ways: ['retry'] },
  background_lost: upstream,
  model_not_found: { fault: 'client', step: 'model', ways: ['see_models'] },
  client_left: { fault: 'client', step: 'record', ways: ['retry'] },
  unauthenticated: token,
  missing: token,
  unknown: token,
  deleted: token,
  disabled: { ...token, ways: ['enable_token'] },
  expired: { ...token, ways: ['extend_token'] },
  ip_not_allowed: { ...token, ways: ['allow_address'] },
  model_not_allowed: { ...token, ways: ['allow_model'] },
  budget: { ...token, ways: ['raise_budget'] },
  insufficient_balance: account,
  balance: account,
  balance_used_up: account,
  account_restricted: { ...account, ways: ['ask_operator'] },
  region_restricted: { fault: 'client', step: 'record', ways: ['ask_operator'] },
  group_disabled: { fault: 'group', step: 'token', ways: ['try_other_group'] },
  rate_limited: limit,
  concurrency_limited: limit,
  channels_busy: { ...upstream, ways: ['slow_down', 'try_other_group'] },
  upstream_error: upstream,
  upstream_invalid: upstream,
  upstream_timeout: upstream,
  no_channel: { fault: 'group', step: 'model', ways: ['try_other_group', 'ask_operator'] },
  overloaded: { ...gateway, ways: ['retry'] },
  internal: gateway,
  shutdown: { ...gateway, ways: ['retry'] },
  interrupted: { ...gateway, ways: ['retry'] },
}

/** The entry of a cause; undefined: unknown to this version. */
export const causeOf = (cause: string | null): Cause | undefined =>
  cause === null || !Object.hasOwn(causes, cause) ? undefined : causes[cause]

/** Whether the state of a group can explain the cause. */
export const isOfGroup = (cause: Cause | undefined): boolean =>
  cause?.fault === 'upstream' || cause?.fault === 'gateway' || cause?.fault === 'group'
