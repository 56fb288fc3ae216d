/**
 * What the console reads by: indexes for its lists, and how requests of a day were answered. An index
 * on rows that are rare costs the hot path nothing where they are not.
 */
export const consoleTables = `
-- Requests of an account, in blocks of 1,024: those that are stored together are neighbours here,
-- too, so that a commit writes a page or two of this and not one for each account.
CREATE INDEX request_account ON request (id >> 10, account_id);
-- Failures in order of their ids, with what they are asked for by.
CREATE INDEX request_failed ON request (id, cause, account_id) WHERE cause IS NOT NULL;
CREATE INDEX attempt_failed ON attempt (request_row, position, channel_id, cause)
  WHERE cause IS NOT NULL;
CREATE INDEX ledger_by_hand ON ledger (id, kind, account_id) WHERE kind <> 'charge';
-- Deleted ones, too: what was used with them goes on counting.
CREATE INDEX token_owner ON token (account_id);

-- NULL: not known, because a former version has counted requests of that day.
ALTER TABLE usage_day ADD COLUMN failed INTEGER;
-- Requests that began to be answered, and the milliseconds that these took to begin.
ALTER TABLE usage_day ADD COLUMN begun INTEGER;
ALTER TABLE usage_day ADD COLUMN first_byte_ms INTEGER;

-- What is set in the console; value is JSON.
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK (json_valid(value)),
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
