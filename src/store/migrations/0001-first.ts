/**
 * The first tables. Times are milliseconds since 1970 (UTC), money is nano-USD, lists and nested
 * settings are JSON text. Rows with `deleted_at` are gone for everyone but the records that point
 * at them, so names are unique among live rows only.
 */
export const firstTables = `
CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'user')),
  status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
  balance_nano INTEGER NOT NULL DEFAULT 0,
  -- The sum of the account's rows in reservation.
  reserved_nano INTEGER NOT NULL DEFAULT 0,
  -- How far below zero the balance may go: 0 is prepaid.
  credit_limit_nano INTEGER NOT NULL DEFAULT 0 CHECK (credit_limit_nano >= 0),
  -- Below this the balance counts as low; NULL: the setting of the whole gateway.
  balance_low_nano INTEGER,
  password_hash TEXT,
  password_mark TEXT,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX account_email ON account (email) WHERE deleted_at IS NULL;

CREATE TABLE channel (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
  speaks TEXT NOT NULL CHECK (json_valid(speaks)),
  keys_sealed BLOB NOT NULL,
  models TEXT NOT NULL CHECK (json_valid(models)),
  priority INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  timeouts TEXT NOT NULL CHECK (json_valid(timeouts)),
  allow_private INTEGER NOT NULL CHECK (allow_private IN (0, 1)),
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX channel_name ON channel (name) WHERE deleted_at IS NULL;

CREATE TABLE "group" (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
  description TEXT NOT NULL,
  platform TEXT NOT NULL,
  multiplier_millionths INTEGER NOT NULL CHECK (multiplier_millionths >= 0),
  models TEXT NOT NULL CHECK (json_valid(models)),
  long_context_pricing INTEGER NOT NULL CHECK (long_context_pricing IN (0, 1)),
  on_disconnect TEXT NOT NULL CHECK (on_disconnect IN ('bill_observed', 'drain')),
  rpm INTEGER,
  concurrency INTEGER,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX group_name ON "group" (name) WHERE deleted_at IS NULL;

CREATE TABLE group_channel (
  group_id INTEGER NOT NULL REFERENCES "group" (id),
  position INTEGER NOT NULL,
  channel_id INTEGER NOT NULL REFERENCES channel (id),
  PRIMARY KEY (group_id, position),
  UNIQUE (group_id, channel_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_channel_channel ON group_channel (channel_id);

CREATE TABLE token (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  group_id INTEGER NOT NULL REFERENCES "group" (id),
  name TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  key_sealed BLOB NOT NULL,
  key_hint TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
  models TEXT NOT NULL CHECK (json_valid(models)),
  ip_allow TEXT NOT NULL CHECK (json_valid(ip_allow)),
  expires_at INTEGER,
  -- What may be spent with it in all, in a UTC day, in a UTC month; NULL: no limit.
  budget_total_nano INTEGER,
  budget_day_nano INTEGER,
  budget_month_nano INTEGER,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
-- A key has one live row at most. Deleted rows keep its hash, so that a deleted key is told from
-- an unknown one; the newest row of a hash is the one that counts.
CREATE UNIQUE INDEX token_key_live ON token (key_hash) WHERE deleted_at IS NULL;
CREATE INDEX token_key ON token (key_hash);
CREATE UNIQUE INDEX token_name ON token (account_id, name) WHERE deleted_at IS NULL;
CREATE INDEX token_account ON token (account_id) WHERE deleted_at IS NULL;
CREATE INDEX token_group ON token (group_id) WHERE deleted_at IS NULL;

-- Rows are only ever added; the newest of a model is in force.
CREATE TABLE model_price (
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  terms TEXT NOT NULL CHECK (json_valid(terms)),
  source TEXT NOT NULL CHECK (source IN ('config', 'operator', 'vendor')),
  note TEXT NOT NULL,
  valid_from INTEGER NOT NULL
) STRICT;
CREATE INDEX model_price_model ON model_price (model);

CREATE TABLE request (
  id INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES account (id),
  token_id INTEGER NOT NULL REFERENCES token (id),
  group_id INTEGER NOT NULL REFERENCES "group" (id),
  model TEXT,
  upstream_model TEXT,
  channel_id INTEGER REFERENCES channel (id),
  client_protocol TEXT NOT NULL,
  upstream_protocol TEXT,
  operation TEXT NOT NULL,
  stream INTEGER NOT NULL,
  status INTEGER NOT NULL,
  cause TEXT,
  cause_text TEXT,
  ending TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  cache_write_1h_tokens INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  clamped INTEGER NOT NULL,
  usage_raw TEXT,
  price_id INTEGER REFERENCES model_price (id),
  tier_above INTEGER,
  long_context_pricing INTEGER NOT NULL,
  multiplier_millionths INTEGER NOT NULL,
  amount_nano INTEGER NOT NULL CHECK (amount_nano >= 0),
  first_byte_ms INTEGER,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX request_created_at ON request (created_at);

CREATE TABLE attempt (
  request_row INTEGER NOT NULL REFERENCES request (id),
  position INTEGER NOT NULL,
  channel_id INTEGER NOT NULL REFERENCES channel (id),
  started_at INTEGER NOT NULL,
  status INTEGER,
  cause TEXT,
  first_byte_ms INTEGER,
  duration_ms INTEGER NOT NULL,
  upstream_request_id TEXT,
  usage_raw TEXT,
  PRIMARY KEY (request_row, position)
) STRICT, WITHOUT ROWID;

-- What is set aside for requests under way, and who asked: rows that a killed process left behind
-- become requests that were interrupted.
CREATE TABLE reservation (
  request_id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES account (id),
  token_id INTEGER NOT NULL REFERENCES token (id),
  group_id INTEGER NOT NULL REFERENCES "group" (id),
  model TEXT,
  client_protocol TEXT NOT NULL,
  operation TEXT NOT NULL,
  stream INTEGER NOT NULL,
  price_id INTEGER REFERENCES model_price (id),
  multiplier_millionths INTEGER NOT NULL,
  amount_nano INTEGER NOT NULL CHECK (amount_nano >= 0)
) STRICT, WITHOUT ROWID;

-- Every change of a balance; the balance is the sum of it.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES account (id),
  kind TEXT NOT NULL CHECK (kind IN ('opening', 'charge', 'credit', 'debit')),
  amount_nano INTEGER NOT NULL,
  request_id TEXT,
  reason TEXT,
  -- Who asks twice with one key changes the balance once.
  idempotency_key TEXT,
  balance_after_nano INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_idempotency ON ledger (account_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX ledger_request ON ledger (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX ledger_account ON ledger (account_id);
CREATE INDEX ledger_created_at ON ledger (created_at);

-- Daily sums, so that totals cost the same however many requests there were. Models that have no
-- price share the name '': clients make such names up, and they must not grow this table.
CREATE TABLE usage_day (
  token_id INTEGER NOT NULL REFERENCES token (id),
  day TEXT NOT NULL,
  model TEXT NOT NULL,
  requests INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  cache_write_1h_tokens INTEGER NOT NULL,
  amount_nano INTEGER NOT NULL,
  PRIMARY KEY (token_id, day, model)
) STRICT, WITHOUT ROWID;

-- Who changed what by hand.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  -- E-mail of the administrator, or 'command line'.
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;
CREATE INDEX audit_subject ON audit (subject);
`
