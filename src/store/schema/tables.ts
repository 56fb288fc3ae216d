/** How one engine says what both engines mean. */
export interface Words {
  /** A number that names a row, counted up by the database. */
  readonly id: string
  readonly int: string
  /** Text, which is compared byte for byte. */
  readonly text: string
  readonly bytes: string
  /** A column of JSON text that is refused when it is none. */
  readonly json: (name: string) => string
  readonly jsonOrNull: (name: string) => string
  /** A number of 0 or 1, where nobody checks it. */
  readonly small: string
  /** A column of 0 or 1. */
  readonly flag: (name: string) => string
  /** Names a row of another table, which must be there. */
  readonly ref: (table: string) => string
  /**
   * The same in tables that a commit of requests writes. PostgreSQL has no constraint there: checking one
   * locks the named row, which all requests share. Its commit looks for itself, and nothing that such
   * rows name is ever removed.
   */
  readonly hot: (table: string) => string
  /** Ends a table whose rows have an id, or are found by a key; `room` is left on its pages, in %. */
  readonly rows: (room?: number) => string
  readonly keyed: (room?: number) => string
  /** The columns that an index on these has beside them, so that its rows come in order of their ids. */
  readonly thenId: string
  /** Requests of an account, in order of their ids, or in blocks of them. */
  readonly ofAccount: string
}

/** Whole numbers of a daily sum; the last three are NULL where a former program has counted the day. */
export const sumColumns = [
  ...['requests', 'input_tokens', 'output_tokens', 'reasoning_tokens', 'cache_read_tokens'],
  ...['cache_write_tokens', 'cache_write_1h_tokens', 'amount_nano'],
  ...['failed', 'begun', 'first_byte_ms'],
]

/** The columns of a table of daily sums. */
export const sumsOf = ({ int }: Pick<Words, 'int'>): string =>
  sumColumns.map((name, at) => `${name} ${int}${at < 8 ? ' NOT NULL' : ''}`).join(', ')

/**
 * The tables that both engines have. Times are milliseconds since 1970 (UTC), money is nano-USD, lists
 * and nested settings are JSON text. Rows with `deleted_at` are gone for everyone but the records that
 * point at them, so names are unique among live rows only.
 */
export function tablesOf(words: Words): string {
  const { id, int, small, text, bytes, json, jsonOrNull, flag, ref, hot, rows, keyed, thenId } =
    words
  const limits = `-- Requests and LLM tokens a minute, and requests at once; NULL: no limit.
  rpm ${int}, tpm ${int}, concurrency ${int}`
  const status = `status ${text} NOT NULL CHECK (status IN ('active', 'disabled'))`
  return `
CREATE TABLE IF NOT EXISTS account (
  id ${id},
  email ${text} NOT NULL,
  role ${text} NOT NULL CHECK (role IN ('admin', 'user')),
  ${status},
  balance_nano ${int} NOT NULL DEFAULT 0,
  -- The sum of the account's rows in reservation.
  reserved_nano ${int} NOT NULL DEFAULT 0,
  -- How far below zero the balance may go: 0 is prepaid.
  credit_limit_nano ${int} NOT NULL DEFAULT 0 CHECK (credit_limit_nano >= 0),
  -- Below this the balance counts as low; NULL: the setting of the whole gateway.
  balance_low_nano ${int},
  ${limits},
  -- Countries that it may be used from: {"allow": […]} or {"deny": […]}, of codes; NULL: all.
  regions ${jsonOrNull('regions')},
  name ${text} NOT NULL DEFAULT '',
  -- 1: it is known to be theirs. An operator vouches for the accounts that he makes.
  email_verified ${flag('email_verified')} DEFAULT 1,
  two_factor_enabled ${flag('two_factor_enabled')} DEFAULT 0,
  created_at ${int} NOT NULL,
  updated_at ${int},
  deleted_at ${int}
)${rows(50)};
CREATE UNIQUE INDEX IF NOT EXISTS account_email ON account (email) WHERE deleted_at IS NULL;
-- People write their address in capitals, too.
CREATE INDEX IF NOT EXISTS account_sign_in ON account (lower(email)) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS account_admin ON account (id) WHERE role = 'admin' AND deleted_at IS NULL;

CREATE TABLE IF NOT EXISTS channel (
  id ${id},
  name ${text} NOT NULL,
  ${status},
  -- 1: an active channel takes nothing new.
  draining ${flag('draining')} DEFAULT 0,
  speaks ${json('speaks')},
  keys_sealed ${bytes} NOT NULL,
  models ${json('models')},
  priority ${int} NOT NULL,
  weight ${int} NOT NULL,
  timeouts ${json('timeouts')},
  allow_private ${flag('allow_private')},
  -- Names of what its upstream does otherwise than the vendor of its protocol.
  quirks ${json('quirks')} DEFAULT '[]',
  ${limits},
  -- Address of a proxy, which may hold a password; NULL: none.
  proxy_sealed ${bytes},
  -- { everyMs, model }; NULL: it is not probed.
  probe ${jsonOrNull('probe')},
  created_at ${int} NOT NULL,
  deleted_at ${int}
)${rows()};
CREATE UNIQUE INDEX IF NOT EXISTS channel_name ON channel (name) WHERE deleted_at IS NULL;

CREATE TABLE IF NOT EXISTS "group" (
  id ${id},
  name ${text} NOT NULL,
  ${status},
  description ${text} NOT NULL,
  platform ${text} NOT NULL,
  multiplier_millionths ${int} NOT NULL CHECK (multiplier_millionths >= 0),
  models ${json('models')},
  long_context_pricing ${flag('long_context_pricing')},
  on_disconnect ${text} NOT NULL CHECK (on_disconnect IN ('bill_observed', 'drain')),
  ${limits},
  -- E-mails of the accounts that may use it: a list; NULL: it is open to all.
  accounts ${jsonOrNull('accounts')},
  -- Tools that the vendor may run: a list; NULL: all that have a price.
  tools ${jsonOrNull('tools')},
  -- As an account's.
  regions ${jsonOrNull('regions')},
  created_at ${int} NOT NULL,
  deleted_at ${int}
)${rows()};
CREATE UNIQUE INDEX IF NOT EXISTS group_name ON "group" (name) WHERE deleted_at IS NULL;

CREATE TABLE IF NOT EXISTS group_channel (
  group_id ${int} NOT NULL${ref('"group"')},
  position ${int} NOT NULL,
  channel_id ${int} NOT NULL${ref('channel')},
  PRIMARY KEY (group_id, position),
  UNIQUE (group_id, channel_id)
)${keyed()};
CREATE INDEX IF NOT EXISTS group_channel_channel ON group_channel (channel_id);

CREATE TABLE IF NOT EXISTS token (
  id ${id},
  account_id ${int} NOT NULL${ref('account')},
  group_id ${int} NOT NULL${ref('"group"')},
  name ${text} NOT NULL,
  key_hash ${text} NOT NULL,
  key_sealed ${bytes} NOT NULL,
  key_hint ${text} NOT NULL,
  ${status},
  models ${json('models')},
  ip_allow ${json('ip_allow')},
  -- 1: what translation between protocols would leave out is refused.
  strict ${flag('strict')} DEFAULT 0,
  expires_at ${int},
  -- What may be spent with it in all, in a UTC day, in a UTC month; NULL: no limit.
  budget_total_nano ${int},
  budget_day_nano ${int},
  budget_month_nano ${int},
  -- The most that one request may cost; NULL: no limit.
  max_cost_nano ${int},
  ${limits},
  created_at ${int} NOT NULL,
  deleted_at ${int}
)${rows()};
-- A key has one live row at most. Deleted rows keep its hash, so that a deleted key is told from
-- an unknown one; the newest row of a hash is the one that counts.
CREATE UNIQUE INDEX IF NOT EXISTS token_key_live ON token (key_hash) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS token_key ON token (key_hash);
CREATE UNIQUE INDEX IF NOT EXISTS token_name ON token (account_id, name) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS token_account ON token (account_id) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS token_group ON token (group_id) WHERE deleted_at IS NULL;
-- Deleted ones, too: what was used with them goes on counting.
CREATE INDEX IF NOT EXISTS token_owner ON token (account_id);

-- Rows are only ever added; the newest of a model is in force.
CREATE TABLE IF NOT EXISTS model_price (
  id ${id},
  model ${text} NOT NULL,
  terms ${json('terms')},
  source ${text} NOT NULL CHECK (source IN ('config', 'operator', 'vendor')),
  note ${text} NOT NULL,
  valid_from ${int} NOT NULL
)${rows()};
CREATE INDEX IF NOT EXISTS model_price_model ON model_price (model);

CREATE TABLE IF NOT EXISTS request (
  id ${id},
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
)${rows()};
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
  PRIMARY KEY (request_row, position)
)${keyed()};
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

-- Who changed what by hand.
CREATE TABLE IF NOT EXISTS audit (
  id ${id},
  created_at ${int} NOT NULL,
  -- E-mail of the administrator, or 'command line'.
  actor ${text} NOT NULL,
  action ${text} NOT NULL,
  subject ${text} NOT NULL,
  detail ${json('detail')}
)${rows()};
CREATE INDEX IF NOT EXISTS audit_subject ON audit (subject);

-- What is set in the console.
CREATE TABLE IF NOT EXISTS setting (
  name ${text} PRIMARY KEY,
  value ${json('value')},
  updated_at ${int} NOT NULL
)${keyed()};

-- What cools at present. An empty key or model means all of the channel's.
CREATE TABLE IF NOT EXISTS cooling (
  channel_id ${int} NOT NULL${ref('channel')},
  key ${text} NOT NULL,
  model ${text} NOT NULL,
  cause ${text} NOT NULL,
  since ${int} NOT NULL,
  until ${int} NOT NULL,
  rounds ${int} NOT NULL,
  PRIMARY KEY (channel_id, key, model)
)${keyed()};

CREATE TABLE IF NOT EXISTS availability (
  size ${text} NOT NULL CHECK (size IN ('minute', 'hour', 'day')),
  started_at ${int} NOT NULL,
  group_id ${int} NOT NULL${ref('"group"')},
  model ${text} NOT NULL,
  counts ${json('counts')},
  PRIMARY KEY (size, started_at, group_id, model)
)${keyed()};

-- What an account signs in with, apart from passkeys: its password (provider 'credential', subject
-- its id), or who it is at an OIDC provider.
CREATE TABLE IF NOT EXISTS credential (
  id ${id},
  account_id ${int} NOT NULL${ref('account')},
  provider ${text} NOT NULL,
  subject ${text} NOT NULL,
  password_hash ${text},
  -- Keyed hash of the password that the configuration gave last.
  password_mark ${text},
  created_at ${int} NOT NULL,
  updated_at ${int} NOT NULL
)${rows()};
CREATE UNIQUE INDEX IF NOT EXISTS credential_subject ON credential (provider, subject);
CREATE INDEX IF NOT EXISTS credential_account ON credential (account_id);

CREATE TABLE IF NOT EXISTS session (
  id ${id},
  account_id ${int} NOT NULL${ref('account')},
  -- Keyed hash of what the cookie holds.
  token_hash ${text} NOT NULL UNIQUE,
  expires_at ${int} NOT NULL,
  created_at ${int} NOT NULL,
  updated_at ${int} NOT NULL,
  address ${text},
  user_agent ${text}
)${rows()};
CREATE INDEX IF NOT EXISTS session_account ON session (account_id);
CREATE INDEX IF NOT EXISTS session_expiry ON session (expires_at);

-- What was begun and must be ended soon: a second factor that is asked for, a way to a provider.
CREATE TABLE IF NOT EXISTS verification (
  id ${id},
  identifier ${text} NOT NULL,
  value ${text} NOT NULL,
  expires_at ${int} NOT NULL,
  created_at ${int} NOT NULL,
  updated_at ${int} NOT NULL
)${rows()};
CREATE INDEX IF NOT EXISTS verification_identifier ON verification (identifier);
CREATE INDEX IF NOT EXISTS verification_expiry ON verification (expires_at);

CREATE TABLE IF NOT EXISTS two_factor (
  id ${id},
  account_id ${int} NOT NULL UNIQUE${ref('account')},
  -- Both encrypted.
  secret ${text} NOT NULL,
  backup_codes ${text} NOT NULL,
  verified ${flag('verified')},
  failed_count ${int} NOT NULL DEFAULT 0,
  locked_until ${int}
)${rows()};

CREATE TABLE IF NOT EXISTS passkey (
  id ${id},
  account_id ${int} NOT NULL${ref('account')},
  name ${text},
  public_key ${text} NOT NULL,
  credential_id ${text} NOT NULL UNIQUE,
  counter ${int} NOT NULL,
  device_type ${text} NOT NULL,
  backed_up ${flag('backed_up')},
  transports ${text},
  created_at ${int},
  aaguid ${text}
)${rows()};
CREATE INDEX IF NOT EXISTS passkey_account ON passkey (account_id);

-- Codes of second factors that were used: each is good once, on whichever node.
CREATE TABLE IF NOT EXISTS used_code (
  account_id ${int} NOT NULL${ref('account')},
  -- Keyed hash.
  code_hash ${text} NOT NULL,
  used_at ${int} NOT NULL,
  PRIMARY KEY (account_id, code_hash)
)${rows()};

-- The processes that serve from these tables.
CREATE TABLE IF NOT EXISTS node (
  id ${id},
  -- Where it runs, for people.
  name ${text} NOT NULL,
  version ${text} NOT NULL,
  started_at ${int} NOT NULL,
  -- When it was last heard of, by the clock of the database where that has one.
  seen_at ${int} NOT NULL,
  -- What it is doing: an object.
  load ${json('load')}
)${rows()};

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

-- Translated responses, which no upstream keeps: what is in them is sealed.
CREATE TABLE IF NOT EXISTS response (
  id ${text} NOT NULL PRIMARY KEY,
  account_id ${int} NOT NULL,
  created_at ${int} NOT NULL,
  -- Of the row, with what it takes beside its contents.
  size_bytes ${int} NOT NULL,
  input ${bytes} NOT NULL,
  response ${bytes} NOT NULL
)${rows()};
CREATE INDEX IF NOT EXISTS response_account ON response (account_id, created_at);
CREATE INDEX IF NOT EXISTS response_created_at ON response (created_at);

-- What of them each account has: kept by triggers, in the statement that changes it.
CREATE TABLE IF NOT EXISTS response_share (
  account_id ${int} NOT NULL PRIMARY KEY,
  size_bytes ${int} NOT NULL
)${rows()};
CREATE INDEX IF NOT EXISTS response_share_size ON response_share (size_bytes);

-- The newest program that has brought these tables up to date: one row.
CREATE TABLE IF NOT EXISTS program (
  version ${text} NOT NULL,
  -- How many gateways have served from them since they were upgraded and ended in order; NULL: they
  -- were made new, or not in a file.
  runs ${int}
)${rows()};
`
}

/** What the triggers of `response` do when a row comes (`NEW`). */
export const shareOfAdded = `
  INSERT INTO response_share (account_id, size_bytes) VALUES (NEW.account_id, NEW.size_bytes)
    ON CONFLICT (account_id) DO UPDATE SET size_bytes = response_share.size_bytes + excluded.size_bytes;`

/** And when one goes. */
export const shareOfRemoved = `
  UPDATE response_share SET size_bytes = size_bytes - OLD.size_bytes
    WHERE account_id = OLD.account_id;
  DELETE FROM response_share WHERE account_id = OLD.account_id AND size_bytes <= 0;`
