import { recordTablesOf } from './records.ts'
import type { Words } from './words.ts'

/**
 * The tables that both engines have. Times are milliseconds since 1970 (UTC), money is nano-USD, lists
 * and nested settings are JSON text. Rows with `deleted_at` remain only for the records that name them,
 * so names are unique among live rows.
 */
export function tablesOf(words: Words): string {
  const { id, int, text, bytes, json, jsonOrNull, flag, ref, rows, keyed } = words
  const limits = `-- Requests and LLM tokens a minute, and requests at once; NULL: no limit.
  rpm ${int}, tpm ${int}, concurrency ${int}`
  const lifetime = `created_at ${int} NOT NULL, deleted_at ${int}`
  const status = `status ${text} NOT NULL CHECK (status IN ('active', 'disabled'))`
  return `
CREATE TABLE IF NOT EXISTS account (
  id ${id},
  email ${text} NOT NULL,
  role ${text} NOT NULL CHECK (role IN ('admin', 'user')),
  ${status},
  balance_nano ${int} NOT NULL DEFAULT 0,
  -- The sum of the account's rows in reservation and lease.
  reserved_nano ${int} NOT NULL DEFAULT 0,
  -- 0: prepaid.
  credit_limit_nano ${int} NOT NULL DEFAULT 0 CHECK (credit_limit_nano >= 0),
  -- Below this the balance counts as low; NULL: the global setting.
  balance_low_nano ${int},
  ${limits},
  -- Countries that it may be used from: {"allow": […]} or {"deny": […]}, of codes; NULL: all.
  regions ${jsonOrNull('regions')},
  name ${text} NOT NULL DEFAULT '',
  -- 1: the address is its owner's. Accounts that operators make are vouched for.
  email_verified ${flag('email_verified')} DEFAULT 1,
  two_factor_enabled ${flag('two_factor_enabled')} DEFAULT 0,
  created_at ${int} NOT NULL,
  updated_at ${int},
  deleted_at ${int}
)${rows(50)};
CREATE UNIQUE INDEX IF NOT EXISTS account_email ON account (email) WHERE deleted_at IS NULL;
-- Addresses are compared without regard to case.
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
  -- Names of its upstream's deviations from the vendor's protocol.
  quirks ${json('quirks')} DEFAULT '[]',
  ${limits},
  -- Address of a proxy, which may hold a password; NULL: none.
  proxy_sealed ${bytes},
  -- { everyMs, model }; NULL: it is not probed.
  probe ${jsonOrNull('probe')},
  ${lifetime}
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
  ${lifetime}
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
  -- 1: fields that translation between protocols would lose are refused.
  strict ${flag('strict')} DEFAULT 0,
  expires_at ${int},
  -- Budgets in all, of a UTC day, of a UTC month; NULL: no limit.
  budget_total_nano ${int},
  budget_day_nano ${int},
  budget_month_nano ${int},
  -- The most that one request may cost; NULL: no limit.
  max_cost_nano ${int},
  ${limits},
  ${lifetime}
)${rows()};
-- A key has at most one live row. Deleted rows keep its hash, so that errors can name a deleted key;
-- the newest row of a hash counts.
CREATE UNIQUE INDEX IF NOT EXISTS token_key_live ON token (key_hash) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS token_key ON token (key_hash);
CREATE UNIQUE INDEX IF NOT EXISTS token_name ON token (account_id, name) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS token_account ON token (account_id) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS token_group ON token (group_id) WHERE deleted_at IS NULL;
-- With deleted tokens: their usage still counts.
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
${recordTablesOf(words)}
-- Manual changes.
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

-- Settings that were made in the console.
CREATE TABLE IF NOT EXISTS setting (
  name ${text} PRIMARY KEY,
  value ${json('value')},
  updated_at ${int} NOT NULL
)${keyed()};

-- Cooldowns. An empty key or model means all of the channel's.
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
-- its id), or its identity at an OIDC provider.
CREATE TABLE IF NOT EXISTS credential (
  id ${id},
  account_id ${int} NOT NULL${ref('account')},
  provider ${text} NOT NULL,
  subject ${text} NOT NULL,
  password_hash ${text},
  -- Keyed hash of the last password from the configuration.
  password_mark ${text},
  created_at ${int} NOT NULL,
  updated_at ${int} NOT NULL
)${rows()};
CREATE UNIQUE INDEX IF NOT EXISTS credential_subject ON credential (provider, subject);
CREATE INDEX IF NOT EXISTS credential_account ON credential (account_id);

CREATE TABLE IF NOT EXISTS session (
  id ${id},
  account_id ${int} NOT NULL${ref('account')},
  -- Keyed hash of the cookie's token.
  token_hash ${text} NOT NULL UNIQUE,
  expires_at ${int} NOT NULL,
  created_at ${int} NOT NULL,
  updated_at ${int} NOT NULL,
  address ${text},
  user_agent ${text}
)${rows()};
CREATE INDEX IF NOT EXISTS session_account ON session (account_id);
CREATE INDEX IF NOT EXISTS session_expiry ON session (expires_at);

-- Sign-ins that wait for a second factor, or for a provider.
CREATE TABLE IF NOT EXISTS verification (
  id ${id},
  identifier ${text} NOT NULL,
  value ${text} NOT NULL,
  expires_at ${int} NOT NULL,
  created_at ${int} NOT NULL,
  updated_at ${int} NOT NULL
)${rows()};
CREATE INDEX IF NOT EXISTS verification_identifier ON verification (identifier);
-- A value begins with the id of its account.
CREATE INDEX IF NOT EXISTS verification_account ON verification (value, id);
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

-- Used codes of second factors: each is accepted once, over all nodes.
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
  -- Shown to operators: where it runs.
  name ${text} NOT NULL,
  version ${text} NOT NULL,
  started_at ${int} NOT NULL,
  -- The last heartbeat; on PostgreSQL by the clock of the database.
  seen_at ${int} NOT NULL,
  load ${json('load')}
)${rows()};

-- Translated responses, which no upstream keeps. The contents are sealed.
CREATE TABLE IF NOT EXISTS response (
  id ${text} NOT NULL PRIMARY KEY,
  account_id ${int} NOT NULL,
  created_at ${int} NOT NULL,
  -- Of the whole row.
  size_bytes ${int} NOT NULL,
  input ${bytes} NOT NULL,
  response ${bytes} NOT NULL
)${rows()};
CREATE INDEX IF NOT EXISTS response_account ON response (account_id, created_at);
CREATE INDEX IF NOT EXISTS response_created_at ON response (created_at);

-- The bytes of each account's responses, which triggers keep up to date.
CREATE TABLE IF NOT EXISTS response_share (
  account_id ${int} NOT NULL PRIMARY KEY,
  size_bytes ${int} NOT NULL
)${rows()};
CREATE INDEX IF NOT EXISTS response_share_size ON response_share (size_bytes);

-- The newest program that upgraded these tables: one row.
CREATE TABLE IF NOT EXISTS program (
  version ${text} NOT NULL,
  -- How many gateways have served and shut down in order since the upgrade; NULL: the tables were never
  -- upgraded, or are not in a file.
  runs ${int}
)${rows()};
`
}

/** What the triggers of `response` do for an inserted row. */
export const shareOfAdded = `
  INSERT INTO response_share (account_id, size_bytes) VALUES (NEW.account_id, NEW.size_bytes)
    ON CONFLICT (account_id) DO UPDATE SET size_bytes = response_share.size_bytes + excluded.size_bytes;`

/** And for a deleted one. */
export const shareOfRemoved = `
  UPDATE response_share SET size_bytes = size_bytes - OLD.size_bytes
    WHERE account_id = OLD.account_id;
  DELETE FROM response_share WHERE account_id = OLD.account_id AND size_bytes <= 0;`
