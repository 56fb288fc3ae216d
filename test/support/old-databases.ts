import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applicationId } from '../../src/store/sqlite/file.ts'
import steps from '../fixtures/databases/former-steps.json'

/** The steps that programs before version 22 took; place in the list: the version that a step led to. */
export const formerSteps: readonly { readonly sqlite?: string; readonly postgres?: string }[] =
  steps

/** The secret of the fixtures: what is sealed in them was sealed with it. */
export const fixtureSecret = 'the secret of all fixtures'

const fixture = (name: string) => (db: Database) =>
  db.run(readFileSync(join(import.meta.dir, `../fixtures/databases/${name}.sql`), 'utf8'))

/** The tables of a version, as the steps make them today, and what a program of that time had other. */
const made = (version: number, change: string) => (db: Database) => {
  for (const { sqlite } of formerSteps.slice(0, version)) if (sqlite) db.run(sqlite)
  db.run(`${change}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`)
}

/** A program before this one took steps one by one; the fifth one failed. */
function halfUpgraded(db: Database): void {
  fixture('5605f96')(db)
  for (const { sqlite } of formerSteps.slice(1, 4)) if (sqlite) db.run(sqlite)
  db.run('PRAGMA user_version = 4')
}

const account = `INSERT INTO account (email, role, status, password_hash, created_at)
  VALUES ('ann@example.com', 'user', 'active', 'argon2 hash', 1)`

const rewordedLedger = `CREATE TABLE new_ledger (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES account (id),
  kind TEXT NOT NULL
    CHECK (kind = 'opening' OR kind = 'charge' OR kind = 'credit' OR kind = 'debit'),
  amount_nano INTEGER NOT NULL,
  request_id TEXT,
  reason TEXT,
  idempotency_key TEXT,
  balance_after_nano INTEGER NOT NULL
) STRICT;
DROP TABLE ledger;
ALTER TABLE new_ledger RENAME TO ledger;
CREATE INDEX ledger_account ON ledger (account_id)`

/** Databases as programs of the past have left them, by name: some say the same version and differ. */
export const oldDatabases: Readonly<Record<string, (db: Database) => void>> = {
  'of 5605f96, version 1': fixture('5605f96'),
  'of 5605f96, half upgraded': halfUpgraded,
  'of 55909b4, version 10': fixture('55909b4'),
  'of 26772c7, version 20': (db) => {
    fixture('55909b4')(db)
    for (const { sqlite } of formerSteps.slice(10)) if (sqlite) db.run(sqlite)
    db.run("INSERT INTO program VALUES ('0.1.0', 0); PRAGMA user_version = 20")
  },
  'of ff52aa2, version 1 with other indexes': made(
    1,
    `CREATE INDEX request_account ON request (account_id);
     CREATE INDEX request_token ON request (token_id)`,
  ),
  'of f6266e9, version 4 without signing in': (db) => {
    made(3, `${account}; ${rewordedLedger}`)(db)
    db.run(`INSERT INTO ledger (created_at, account_id, kind, amount_nano, balance_after_nano)
      VALUES (1, 1, 'opening', 0, 0); PRAGMA user_version = 4`)
  },
  'of 5d5035d, version 5 with another index': made(
    5,
    'DROP INDEX request_account; CREATE INDEX request_account ON request (account_id, id)',
  ),
}

/** Makes one of them at a path. */
export function makeOldDatabase(name: keyof typeof oldDatabases, path: string): void {
  const db = new Database(path, { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.transaction(() => oldDatabases[name]?.(db))()
  db.close()
}
