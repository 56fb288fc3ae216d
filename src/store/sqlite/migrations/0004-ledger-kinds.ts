import type { Database } from 'bun:sqlite'

/** The ledger of more entries keeps its words: copying it would hold up the start for long. */
const maxCopied = 100_000

const newTable = `
CREATE TABLE new_ledger (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES account (id),
  -- Not as a list: for one of more than two, SQLite makes a table at each insert.
  kind TEXT NOT NULL
    CHECK (kind = 'opening' OR kind = 'charge' OR kind = 'credit' OR kind = 'debit'),
  amount_nano INTEGER NOT NULL,
  request_id TEXT,
  reason TEXT,
  -- Who asks twice with one key changes the balance once.
  idempotency_key TEXT,
  balance_after_nano INTEGER NOT NULL
) STRICT;
INSERT INTO new_ledger SELECT * FROM ledger;
DROP TABLE ledger;
ALTER TABLE new_ledger RENAME TO ledger;
CREATE UNIQUE INDEX ledger_idempotency ON ledger (account_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX ledger_request ON ledger (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX ledger_account ON ledger (account_id);
CREATE INDEX ledger_created_at ON ledger (created_at);
`

/**
 * Says in cheaper words what kinds of ledger entries there are: a third of what an entry costs. Both
 * wordings hold the same, so nothing else depends on which one a database has.
 */
export function rewordLedgerKinds(db: Database): void {
  const text = `SELECT count(*) AS count FROM (SELECT 1 FROM ledger LIMIT ${maxCopied + 1})`
  const { count } = db.query<{ count: number }, []>(text).get() ?? { count: 0 }
  if (count <= maxCopied) db.run(newTable)
}
