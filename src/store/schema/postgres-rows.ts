import { dayColumns } from '../ports/verification.ts'
import {
  attemptFields,
  columnTypes,
  firstAttemptFields,
  firstRequestFields,
  requestFields,
  reservationFields,
} from './columns.ts'

/*
 * The functions that nodes call, and the types of rows that a batch brings them: their text form is read in a
 * third of the time of JSON. A changed one gets a new name, and the old one stays while nodes of the old
 * program may run.
 */

const firstTypes = {
  settled: 'settled_request_1',
  tried: 'tried_channel_1',
  charge: 'charge_1',
  sums: 'day_sums_1',
  asked: 'asked_reservation_1',
}

/** Of the step that brought leases. */
export const leaseCalls = {
  commitRequests: 'commit_requests_3',
  commitAnswers: 'commit_answers_3',
  types: firstTypes,
  requestFields: firstRequestFields,
  attemptFields: firstAttemptFields,
}

/** What this program calls. */
export const calls = {
  commitRequests: 'commit_requests_4',
  commitAnswers: 'commit_answers_4',
  types: { ...firstTypes, settled: 'settled_request_2', tried: 'tried_channel_2' },
  requestFields,
  attemptFields,
}

export type Calls = Pick<typeof calls, 'commitRequests' | 'commitAnswers' | 'types'> & {
  readonly requestFields: typeof firstRequestFields
  readonly attemptFields: typeof firstAttemptFields
}

/** The types of what was settled. "place": of its request among those settled. */
export const settledTypes = ({ types, requestFields, attemptFields }: Calls) => `
CREATE TYPE ${types.settled} AS (${columnTypes(requestFields)});
CREATE TYPE ${types.tried} AS (place int, request_id text, position bigint, ${columnTypes(attemptFields)});
`

/** All others. "sum_nano": of the batch's charges to the account up to this one. */
export const otherTypes = ({ types }: Calls) => `
CREATE TYPE ${types.charge} AS (account_id bigint, request_id text, amount_nano bigint, sum_nano bigint);
CREATE TYPE ${types.sums} AS (token_id bigint, day text, model text, ${dayColumns.map((name) => `${name} bigint`).join(', ')});
CREATE TYPE ${types.asked} AS (${columnTypes(reservationFields)}, is_open smallint);
`

/** Of the functions for a batch. */
export const parametersOf = ({
  types,
}: Pick<
  Calls,
  'types'
>) => `settled ${types.settled}[], tried ${types.tried}[], charges ${types.charge}[],
  sums ${types.sums}[], totals ${types.sums}[],
  asked ${types.asked}[], unpriced ${types.asked}[], ended text[],
  of_accounts bigint[], charged bigint[], of_tokens bigint[],
  purses bigint[], paid bigint[], wish_nos bigint[], wish_changes bigint[], owed smallint[],
  more json, at_ms bigint, today text, node bigint, lowest text, highest text`

const names = parametersOf(calls)
  .split(',')
  .map((one) => one.trim().split(' ')[0])
/** `$1, $2 …` for the parameters of a commit. */
export const places = names.map((_, at) => `$${at + 1}`).join(', ')

/** The same by their names, to be passed on. */
export const passed = names.join(', ')
