/**
 * Signing in to the console. Who signs in is an account, so there is no second table of people; what
 * they sign in with, and that they are signed in, are rows of their own. Times are in milliseconds.
 */
export const signInTables = `
ALTER TABLE account ADD COLUMN name TEXT NOT NULL DEFAULT '';
-- 1: it is known to be theirs. An operator vouches for the accounts that he makes.
ALTER TABLE account ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 1
  CHECK (email_verified IN (0, 1));
ALTER TABLE account ADD COLUMN two_factor_enabled INTEGER NOT NULL DEFAULT 0
  CHECK (two_factor_enabled IN (0, 1));
ALTER TABLE account ADD COLUMN updated_at INTEGER;
-- People write their address in capitals, too.
CREATE INDEX account_sign_in ON account (lower(email)) WHERE deleted_at IS NULL;
CREATE INDEX account_admin ON account (id) WHERE role = 'admin' AND deleted_at IS NULL;

-- What an account signs in with, apart from passkeys: its password (provider 'credential', subject
-- its id), or who it is at an OIDC provider.
CREATE TABLE credential (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  password_hash TEXT,
  -- Keyed hash of the password that the configuration gave last.
  password_mark TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX credential_subject ON credential (provider, subject);
CREATE INDEX credential_account ON credential (account_id);
INSERT INTO credential (account_id, provider, subject, password_hash, password_mark, created_at, updated_at)
  SELECT id, 'credential', CAST(id AS TEXT), password_hash, password_mark, created_at, created_at
  FROM account WHERE password_hash IS NOT NULL AND deleted_at IS NULL;
ALTER TABLE account DROP COLUMN password_hash;
ALTER TABLE account DROP COLUMN password_mark;

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  -- Keyed hash of what the cookie holds.
  token_hash TEXT NOT NULL UNIQUE,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  address TEXT,
  user_agent TEXT
) STRICT;
CREATE INDEX session_account ON session (account_id);
CREATE INDEX session_expiry ON session (expires_at);

-- What was begun and must be ended soon: a second factor that is asked for, a way to a provider.
CREATE TABLE verification (
  id INTEGER PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX verification_identifier ON verification (identifier);
CREATE INDEX verification_expiry ON verification (expires_at);

CREATE TABLE two_factor (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL UNIQUE REFERENCES account (id),
  -- Both encrypted.
  secret TEXT NOT NULL,
  backup_codes TEXT NOT NULL,
  verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
  failed_count INTEGER NOT NULL DEFAULT 0,
  locked_until INTEGER
) STRICT;

CREATE TABLE passkey (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT,
  public_key TEXT NOT NULL,
  credential_id TEXT NOT NULL UNIQUE,
  counter INTEGER NOT NULL,
  device_type TEXT NOT NULL,
  backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
  transports TEXT,
  created_at INTEGER,
  aaguid TEXT
) STRICT;
CREATE INDEX passkey_account ON passkey (account_id);
`
