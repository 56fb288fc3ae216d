import { dayColumns } from '../ports/verification.ts'
import type { Words } from './words.ts'

/** The columns of a table of daily sums. */
export const sumsOf = ({ int }: Pick<Words, 'int'>): string =>
  dayColumns.map((name, at) => `${name} ${int}${at < 8 ? ' NOT NULL' : ''}`).join(', ')

/** The tables that a commit of requests writes. */
export function recordTablesOf(words: Words): string {
  const { id, int, small, text, json, hot, rows, keyed, thenId, partitioned } = words
  return `
CREATE TABLE IF NOT EXISTS request (
  id ${partitioned.id},
  request_id ${text} NOT NULL UNIQUE,
  created_at ${int} NOT NULL,
  account_id ${int} NOT NULL${hot('account')},
  token_id ${int} NOT NULL${hot('token')},
  group_id ${int} NOT NULL${hot('"group"')},
  model ${text},
  upstream_model ${text},
  channel_id ${int}${hot('channel')},
  client_protocol ${text} NOT NULL,
  upstream_protocol ${text},
  operation ${text} NOT NULL,
  stream ${small} NOT NULL,
  status ${int} NOT NULL,
  cause ${text},
  cause_text ${text},
  ending ${text} NOT NULL,
  input_tokens ${int} NOT NULL,
  output_tokens ${int} NOT NULL,
  reasoning_tokens ${int} NOT NULL,
  cache_read_tokens ${int} NOT NULL,
  cache_write_tokens ${int} NOT NULL,
  cache_write_1h_tokens ${int} NOT NULL,
  calls ${int} NOT NULL,
  estimated ${small} NOT NULL,
  clamped ${small} NOT NULL,
  usage_raw ${text},
  -- What it was charged for besides text tokens, as JSON text.
  extras ${text},
  price_id ${int}${hot('model_price')},
  tier_above ${int},
  long_context_pricing ${small} NOT NULL,
  multiplier_millionths ${int} NOT NULL,
  amount_nano ${int} NOT NULL CHECK (amount_nano >= 0),
  first_byte_ms ${int},
  duration_ms ${int} NOT NULL
)${rows()}${partitioned.by};
CREATE INDEX IF NOT EXISTS request_created_at ON request (created_at);
CREATE INDEX IF NOT EXISTS request_account ON request (${words.ofAccount});
-- Failures in order of their ids, with what they are asked for by.
CREATE INDEX IF NOT EXISTS request_failed ON request (id, cause, account_id) WHERE cause IS NOT NULL;

CREATE TABLE IF NOT EXISTS attempt (
  request_row ${int} NOT NULL${hot('request')},
  position ${int} NOT NULL,
  channel_id ${int} NOT NULL${hot('channel')},
  started_at ${int} NOT NULL,
  status ${int},
  cause ${text},
  first_byte_ms ${int},
  duration_ms ${int} NOT NULL,
  upstream_request_id ${text},
  usage_raw ${text},
  ${partitioned.column}PRIMARY KEY (request_row, position${partitioned.key})
)${keyed()}${partitioned.by};
CREATE INDEX IF NOT EXISTS attempt_failed ON attempt (request_row, position, channel_id, cause)
  WHERE cause IS NOT NULL;

-- What is set aside for requests under way, and who asked: rows that a killed process left behind
-- become requests that were interrupted.
CREATE TABLE IF NOT EXISTS reservation (
  request_id ${text} PRIMARY KEY,
  created_at ${int} NOT NULL,
  account_id ${int} NOT NULL${hot('account')},
  token_id ${int} NOT NULL${hot('token')},
  group_id ${int} NOT NULL${hot('"group"')},
  model ${text},
  client_protocol ${text} NOT NULL,
  operation ${text} NOT NULL,
  stream ${small} NOT NULL,
  price_id ${int}${hot('model_price')},
  multiplier_millionths ${int} NOT NULL,
  amount_nano ${int} NOT NULL CHECK (amount_nano >= 0),
  -- NULL: of a process that is in no list.
  node_id ${int}
)${keyed()};

-- Every change of a balance; the balance is the sum of it.
CREATE TABLE IF NOT EXISTS ledger (
  id ${id},
  created_at ${int} NOT NULL,
  account_id ${int} NOT NULL${hot('account')},
  kind ${text} NOT NULL CHECK (kind IN ('opening', 'charge', 'credit', 'debit')),
  amount_nano ${int} NOT NULL,
  request_id ${text},
  reason ${text},
  -- Who asks twice with one key changes the balance once.
  idempotency_key ${text},
  balance_after_nano ${int} NOT NULL
)${rows()};
CREATE UNIQUE INDEX IF NOT EXISTS ledger_idempotency ON ledger (account_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS ledger_request ON ledger (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS ledger_account ON ledger (account_id${thenId});
CREATE INDEX IF NOT EXISTS ledger_created_at ON ledger (created_at);
CREATE INDEX IF NOT EXISTS ledger_by_hand ON ledger (id, kind, account_id) WHERE kind <> 'charge';

-- Daily sums, so that totals cost the same however many requests there were. Models that have no
-- price share the name '': clients make such names up, and they must not grow this table.
CREATE TABLE IF NOT EXISTS usage_day (
  token_id ${int} NOT NULL${hot('token')},
  day ${text} NOT NULL,
  model ${text} NOT NULL,
  ${sumsOf(words)},
  PRIMARY KEY (token_id, day, model)
)${keyed(70)};

-- What vendors keep of answers, by their ids: a request may refer to its own account's alone.
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

-- Answers that are made in the background, until they are charged: the reservation of the same id is
-- held for them, whatever becomes of the process.
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
  -- When it is looked at next. Who looks puts this off first: so no two do at once.
  due_at ${int} NOT NULL
)${keyed()};
CREATE INDEX IF NOT EXISTS background_answer_due ON background_answer (due_at);
CREATE INDEX IF NOT EXISTS background_answer_id ON background_answer (answer_id);
`
}
