/**
 * Limits of everything that can have them, what is known of the health of channels, and how well
 * requests were answered.
 */
export const resilienceTables = `
-- Requests and LLM tokens a minute, and requests at once; NULL: no limit.
ALTER TABLE "group" ADD COLUMN tpm INTEGER;
ALTER TABLE account ADD COLUMN rpm INTEGER;
ALTER TABLE account ADD COLUMN tpm INTEGER;
ALTER TABLE account ADD COLUMN concurrency INTEGER;
ALTER TABLE token ADD COLUMN rpm INTEGER;
ALTER TABLE token ADD COLUMN tpm INTEGER;
ALTER TABLE token ADD COLUMN concurrency INTEGER;
ALTER TABLE channel ADD COLUMN rpm INTEGER;
ALTER TABLE channel ADD COLUMN tpm INTEGER;
ALTER TABLE channel ADD COLUMN concurrency INTEGER;

-- 1: an active channel takes nothing new.
ALTER TABLE channel ADD COLUMN draining INTEGER NOT NULL DEFAULT 0 CHECK (draining IN (0, 1));
-- Address of a proxy, which may hold a password; NULL: none.
ALTER TABLE channel ADD COLUMN proxy_sealed BLOB;
-- { everyMs, model }; NULL: it is not probed.
ALTER TABLE channel ADD COLUMN probe TEXT CHECK (probe IS NULL OR json_valid(probe));

-- What cools at present. An empty key or model means all of the channel's.
CREATE TABLE cooling (
  channel_id INTEGER NOT NULL REFERENCES channel (id),
  key TEXT NOT NULL,
  model TEXT NOT NULL,
  cause TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  rounds INTEGER NOT NULL,
  PRIMARY KEY (channel_id, key, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE availability (
  size TEXT NOT NULL CHECK (size IN ('minute', 'hour', 'day')),
  started_at INTEGER NOT NULL,
  group_id INTEGER NOT NULL REFERENCES "group" (id),
  model TEXT NOT NULL,
  counts TEXT NOT NULL CHECK (json_valid(counts)),
  PRIMARY KEY (size, started_at, group_id, model)
) STRICT, WITHOUT ROWID;
`
