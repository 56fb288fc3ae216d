import type { FaultWord, StepName, WayWord } from './schema.ts'

export interface Cause {
  readonly fault: FaultWord
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

/** The same entry for several causes. */
const each = (cause: Cause, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, cause]))

/** Every cause that a request can be recorded with. */
const causes: Readonly<Record<string, Cause>> = {
  ...each(request, 'invalid_json', 'missing_parameter', 'invalid_value', 'unsupported_parameter'),
  ...each(request, 'conflicting_parameters', 'max_cost_exceeded', 'unsupported_action'),
  ...each(request, 'not_offered', 'body_too_large', 'unsupported_encoding', 'upstream_refused'),
  ...each(request, 'response_not_found', 'receipt_not_found', 'previous_response_not_found'),
  ...each(request, 'thread_not_found'),
  response_in_progress: { ...request, ways: ['retry'] },
  model_not_found: { fault: 'client', step: 'model', ways: ['see_models'] },
  client_left: { fault: 'client', step: 'record', ways: ['retry'] },
  ...each(token, 'unauthenticated', 'missing', 'unknown', 'deleted'),
  disabled: { ...token, ways: ['enable_token'] },
  expired: { ...token, ways: ['extend_token'] },
  ip_not_allowed: { ...token, ways: ['allow_address'] },
  model_not_allowed: { ...token, ways: ['allow_model'] },
  budget: { ...token, ways: ['raise_budget'] },
  ...each(account, 'insufficient_balance', 'balance', 'balance_used_up'),
  account_restricted: { ...account, ways: ['ask_operator'] },
  region_restricted: { fault: 'client', step: 'record', ways: ['ask_operator'] },
  group_disabled: { fault: 'group', step: 'token', ways: ['try_other_group'] },
  ...each(limit, 'rate_limited', 'concurrency_limited'),
  channels_busy: { ...upstream, ways: ['slow_down', 'try_other_group'] },
  ...each(upstream, 'upstream_error', 'upstream_invalid', 'upstream_timeout', 'background_lost'),
  no_channel: { fault: 'group', step: 'model', ways: ['try_other_group', 'ask_operator'] },
  internal: gateway,
  ...each({ ...gateway, ways: ['retry'] }, 'overloaded', 'shutdown', 'interrupted'),
}

/** The entry of a cause; undefined: unknown to this version. */
export const causeOf = (cause: string | null): Cause | undefined =>
  cause === null || !Object.hasOwn(causes, cause) ? undefined : causes[cause]

/** Whether the state of a group can explain the cause. */
export const isOfGroup = (cause: Cause | undefined): boolean =>
  cause?.fault === 'upstream' || cause?.fault === 'gateway' || cause?.fault === 'group'
