import { dayColumns } from '../ports/verification.ts'
import {
  columnNames,
  definedColumns,
  firstAttemptFields,
  firstRequestFields,
  reservationFields,
} from './columns.ts'
import type { Words } from './words.ts'

/** Daily sums added up; NULL where a former version left a column out. `type` is a cast. */
export const addedDays = (type = ''): string =>
  dayColumns
    .map((name, at) =>
      at < 8
        ? `sum(${name})${type} AS ${name}`
        : `CASE WHEN count(${name}) = count(*) THEN sum(${name})${type} END AS ${name}`,
    )
    .join(', ')

/** The columns of a table of daily sums. */
export const sumsOf = ({ int }: Pick<Words, 'int'>): string =>
  dayColumns.map((name, at) => `${name} ${int}${at < 8 ? ' NOT NULL' : ''}`).join(', ')

const { amountNano: _, ...carriedFields } = reservationFields
/** What an interrupted request has from its reservation. */
const carried = columnNames(carriedFields)

/** Turns reservations of `source` into interrupted requests at no cost. */
export const interruptedFrom = (source: string) => `INSERT INTO request (${carried}, status, cause,
  cause_text, ending, long_context_pricing, input_tokens, output_tokens, reasoning_tokens,
  cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, calls, estimated, clamped, amount_nano,
  duration_ms)
SELECT ${carried}, 500, 'interrupted', 'The gateway was ended while this request was under way.',
  'interrupted', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
FROM ${source} ON CONFLICT (request_id) DO NOTHING`

/** The tables that a commit of requests writes. */
export function recordTablesOf(words: Words): string {
  const { id, int, text, json, hot, rows, keyed, thenId, partitioned } = words
  return `
CREATE TABLE IF NOT EXISTS request (
  id ${partitioned.id},
  request_id ${text} NOT NULL UNIQUE,
  ${definedColumns(firstRequestFields, words)}
)${rows()}${partitioned.by};
CREATE INDEX IF NOT EXISTS request_created_at ON request (created_at);
CREATE INDEX IF NOT EXISTS request_account ON request (${words.ofAccount});
-- Failures in order of their ids, with the columns that filter them.
CREATE INDEX IF NOT EXISTS request_failed ON request (id, cause, account_id) WHERE cause IS NOT NULL;

CREATE TABLE IF NOT EXISTS attempt (
  request_row ${int} NOT NULL${hot('request')},
  position ${int} NOT NULL,
  ${definedColumns(firstAttemptFields, words)},
  ${partitioned.column}PRIMARY KEY (request_row, position${partitioned.key})
)${keyed()}${partitioned.by};
CREATE INDEX IF NOT EXISTS attempt_failed ON attempt (request_row, position, channel_id, cause)
  WHERE cause IS NOT NULL;

-- Reservations of running requests. Those that a killed process left behind become interrupted requests.
CREATE TABLE IF NOT EXISTS reservation (
  request_id ${text} PRIMARY KEY,
  ${definedColumns(reservationFields, words)},
  -- NULL: the process is no registered node.
  node_id ${int}
)${keyed()};

-- All changes of balances: a balance is the sum of its entries.
CREATE TABLE IF NOT EXISTS ledger (
  id ${id},
  created_at ${int} NOT NULL,
  account_id ${int} NOT NULL${hot('account')},
  kind ${text} NOT NULL CHECK (kind IN ('opening', 'charge', 'credit', 'debit')),
  amount_nano ${int} NOT NULL,
  request_id ${text},
  reason ${text},
  -- A repeated key changes the balance once.
  idempotency_key ${text},
  balance_after_nano ${int} NOT NULL
)${rows()};
CREATE UNIQUE INDEX IF NOT EXISTS ledger_idempotency ON ledger (account_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS ledger_request ON ledger (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS ledger_account ON ledger (account_id${thenId});
CREATE INDEX IF NOT EXISTS ledger_created_at ON ledger (created_at);
CREATE INDEX IF NOT EXISTS ledger_by_hand ON ledger (id, kind, account_id) WHERE kind <> 'charge';

-- Daily sums, so that totals cost the same however many requests there were. Models without a price
-- share the name '': clients make such names up, and they must not grow this table.
CREATE TABLE IF NOT EXISTS usage_day (
  token_id ${int} NOT NULL${hot('token')},
  day ${text} NOT NULL,
  model ${text} NOT NULL,
  ${sumsOf(words)},
  PRIMARY KEY (token_id, day, model)
)${keyed(70)};

-- Answers that vendors keep: a request may refer to those of its own account.
CREATE TABLE IF NOT EXISTS kept_answer (
  answer_id ${text} NOT NULL,
  account_id ${int} NOT NULL,
  channel_id ${int} NOT NULL,
  key_mark ${text} NOT NULL,
  context_tokens ${int} NOT NULL,
  created_at ${int} NOT NULL,
  PRIMARY KEY (answer_id, account_id)
)${keyed()};
CREATE INDEX IF NOT EXISTS kept_answer_created_at ON kept_answer (created_at);

-- Answers that are made in the background, until they are charged. The reservation of the same id
-- outlives the process.
CREATE TABLE IF NOT EXISTS background_answer (
  request_id ${text} NOT NULL PRIMARY KEY,
  asked_id ${text} NOT NULL,
  answer_id ${text} NOT NULL,
  created_at ${int} NOT NULL,
  account_id ${int} NOT NULL,
  token_id ${int} NOT NULL,
  channel_id ${int} NOT NULL,
  key_mark ${text} NOT NULL,
  charge ${json('charge')},
  -- When it is due to be fetched. A node that fetches it defers this first, as a lease.
  due_at ${int} NOT NULL
)${keyed()};
CREATE INDEX IF NOT EXISTS background_answer_due ON background_answer (due_at);
CREATE INDEX IF NOT EXISTS background_answer_id ON background_answer (answer_id);
`
}
