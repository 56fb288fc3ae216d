import { dayColumns } from '../ports/verification.ts'
import { attemptFields, columnTypes, requestFields, reservationFields } from './columns.ts'

/** The types of rows that a batch brings. Their text form is read in a third of the time of JSON. */
export const rowTypes = {
  settled: 'settled_request_1',
  tried: 'tried_channel_1',
  charge: 'charge_1',
  sums: 'day_sums_1',
  asked: 'asked_reservation_1',
}

export const rowTypesMade = `
CREATE TYPE ${rowTypes.settled} AS (${columnTypes(requestFields)});
-- "place": of its request among those settled.
CREATE TYPE ${rowTypes.tried} AS (place int, request_id text, position bigint, ${columnTypes(attemptFields)});
-- "sum_nano": of the batch's charges to the account up to this one.
CREATE TYPE ${rowTypes.charge} AS (account_id bigint, request_id text, amount_nano bigint, sum_nano bigint);
CREATE TYPE ${rowTypes.sums} AS (token_id bigint, day text, model text, ${dayColumns.map((name) => `${name} bigint`).join(', ')});
CREATE TYPE ${rowTypes.asked} AS (${columnTypes(reservationFields)}, is_open smallint);
`

/** Of the functions for a batch. */
export const parameters = `settled ${rowTypes.settled}[], tried ${rowTypes.tried}[], charges ${rowTypes.charge}[],
  sums ${rowTypes.sums}[], totals ${rowTypes.sums}[],
  asked ${rowTypes.asked}[], unpriced ${rowTypes.asked}[], ended text[],
  of_accounts bigint[], charged bigint[], of_tokens bigint[],
  purses bigint[], paid bigint[], wish_nos bigint[], wish_changes bigint[], owed smallint[],
  more json, at_ms bigint, today text, node bigint, lowest text, highest text`

const names = parameters.split(',').map((one) => one.trim().split(' ')[0])
/** `$1, $2 …` for the parameters of a commit. */
export const places = names.map((_, at) => `$${at + 1}`).join(', ')

/** The same by their names, to be passed on. */
export const passed = names.join(', ')
