import { type Static, Type } from '@sinclair/typebox'
import { oneOf, orNull } from '../shapes.ts'

/** In the order in which they are checked; the seventh step is the report. */
export const stepNames = ['status', 'endpoint', 'model', 'token', 'record', 'groups'] as const
export type StepName = (typeof stepNames)[number]

/** Findings; braces name their parameters. */
export const noteWords = [
  'status_then', // {group} {requests} {failed} {since_at} {until_at}
  'status_none_then', // {group}
  'status_now', // {group} {requests} {failed}
  'status_none_now', // {group}
  'status_not_the_cause',
  'endpoint_used', // {endpoint} {protocol}
  'endpoint_no_record',
  'endpoint_translated', // {protocol} {upstream}
  'model_not_named',
  'model_in_group', // {model} {group}
  'model_there_by_now', // {model} {group}
  'model_no_channel', // {model} {group}
  'model_no_channel_then', // {model} {group}
  'price_changed_since', // {model} {group}
  'model_not_in_group', // {model} {group}
  'model_not_in_group_then', // {model} {group}
  'model_gone_since', // {model} {group}
  'model_nearest', // {group} {names}
  'model_in_own_groups', // {model} {groups}
  'model_in_other_groups', // {model} {groups}
  'model_nowhere', // {model}
  'group_gone', // {group}
  'group_closed', // {group}
  'token_fine', // {token} {group}
  'token_fine_by_now', // {token}
  'token_gone', // {token}
  'token_changed_since', // {token}
  'token_then_unknown', // {token}
  'token_group_changed', // {token} {former} {group}
  // What is so now; with "_then": what was so when the request came, and is not any more.
  'token_disabled', // {token}
  'token_disabled_then',
  'token_expired', // {token} {expires_at}
  'token_expired_then',
  'token_group_off', // {token} {group}
  'token_group_off_then',
  'token_group_closed', // {token} {group}
  'token_group_closed_then',
  'token_models', // {token} {model} {models}
  'token_models_then',
  'token_addresses', // {token} {addresses}
  'token_addresses_then',
  'budget_total', // {token} {spent_usd} {limit_usd}
  'budget_total_then',
  'budget_day', // {token} {spent_usd} {limit_usd}
  'budget_day_then',
  'budget_month', // {token} {spent_usd} {limit_usd}
  'budget_month_then',
  'account_disabled',
  'account_disabled_then',
  'balance_used_up', // {balance_usd}
  'balance_used_up_then',
  'balance_now', // {balance_usd}
  'balance_then', // {balance_usd}
  'needed_then', // {needed_usd}
  'record_succeeded', // {status}
  'record_failed', // {status} {cause}
  'record_fault', // {fault}
  // For administrators: of a channel's only key, of one of them, of one that it has no more.
  'channel_key_refused', // {channel}
  'channel_key_refused_one', // {channel} {key}
  'channel_key_refused_former', // {channel}
  'channel_key_used_up', // {channel}
  'channel_key_used_up_one', // {channel} {key}
  'channel_key_used_up_former', // {channel}
  'attempts_none',
  'attempt_failed', // {number} {cause} {duration_ms}
  'attempt_answered', // {number} {status} {duration_ms}
  // For administrators; with a key where the channel has several.
  'attempt_failed_at', // {number} {channel} {cause} {duration_ms}
  'attempt_failed_with', // {number} {channel} {key} {cause} {duration_ms}
  'attempt_answered_at', // {number} {channel} {status} {duration_ms}
  'attempt_answered_with', // {number} {channel} {key} {status} {duration_ms}
  'cooling_then',
  // For administrators.
  'cooling_then_channel', // {channel} {cause} {since_at}
  'cooling_then_model', // {channel} {model} {cause} {since_at}
  'cooling_then_key', // {channel} {key} {cause} {since_at}
  'group_worked', // {group} {model} {requests} {failed}
  'groups_untried', // {groups} {model}
  'groups_none', // {model}
] as const
export type NoteWord = (typeof noteWords)[number]

export const wayWords = [
  'wait', // for the group
  'try_other_group',
  'use_model', // {name}
  'see_models',
  'change_group', // {group}
  'new_token',
  'enable_token',
  'extend_token',
  'allow_model', // {model}
  'allow_address',
  'raise_budget',
  'add_balance',
  'check_key', // {channel}
  'check_one_key', // {channel} {key}
  'ask_operator',
  'retry',
  'fix_request',
  'slow_down',
  'report',
] as const
export type WayWord = (typeof wayWords)[number]

export const faultWords = ['client', 'token', 'account', 'group', 'upstream', 'gateway'] as const
export type FaultWord = (typeof faultWords)[number]

const params = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Array(Type.String())]),
  { description: '…_at: ISO 8601; …_usd: exact, in USD; …_ms: milliseconds.' },
)

const Note = Type.Object({ word: oneOf(noteWords), params })
export type Note = Static<typeof Note>

const Way = Type.Object({ word: oneOf(wayWords), params })
export type Way = Static<typeof Way>

export const Step = Type.Object({
  step: oneOf(stepNames),
  finding: oneOf(
    ['ok', 'problem', 'problem_now', 'unknown'],
    'Of the request; `problem_now`: it was in order then, and would be refused now.',
  ),
  explains: Type.Boolean({ description: 'Whether what was found explains this failure.' }),
  notes: Type.Array(Note),
  ways: Type.Array(Way),
  link: orNull(Type.String(), 'Where to look or act: a path of the console, or the status page.'),
})
export type Step = Static<typeof Step>

export const Diagnosis = Type.Object({
  request_id: Type.String(),
  verdict: orNull(Type.Object({ step: oneOf(stepNames), note: Note, way: orNull(Way) })),
  steps: Type.Array(Step),
  report: Type.Object({
    request_id: Type.String(),
    created_at: Type.String(),
    model: orNull(Type.String()),
    group: Type.String(),
    endpoint: Type.String(),
    status: Type.Integer(),
    cause: orNull(Type.String()),
    error: orNull(Type.String()),
  }),
})
export type Diagnosis = Static<typeof Diagnosis>
