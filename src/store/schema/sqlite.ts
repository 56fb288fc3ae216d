import { addedDays, sumsOf } from './records.ts'
import { shareOfAdded, shareOfRemoved, tablesOf } from './tables.ts'
import type { Words } from './words.ts'

const words: Words = {
  id: 'INTEGER PRIMARY KEY',
  int: 'INTEGER',
  small: 'INTEGER',
  text: 'TEXT',
  bytes: 'BLOB',
  json: (name) => `TEXT NOT NULL CHECK (json_valid(${name}))`,
  jsonOrNull: (name) => `TEXT CHECK (${name} IS NULL OR json_valid(${name}))`,
  flag: (name) => `INTEGER NOT NULL CHECK (${name} IN (0, 1))`,
  ref: (table) => ` REFERENCES ${table} (id)`,
  hot: (table) => ` REFERENCES ${table} (id)`,
  rows: () => ' STRICT',
  keyed: () => ' STRICT, WITHOUT ROWID',
  thenId: '',
  // In blocks of 1,024: requests that are stored together are neighbours here, so that a commit writes
  // a page or two and not one for each account.
  ofAccount: 'id >> 10, account_id',
  partitioned: { id: 'INTEGER PRIMARY KEY', column: '', key: '', by: '' },
}

/** Fills the table of totals, which is empty, from the daily sums of all tokens. */
export const fillUsageTotals = `
INSERT INTO usage_total SELECT day, model, ${addedDays()} FROM usage_day GROUP BY day, model;
`

export const sqliteSchema = `${tablesOf(words)}
-- The daily sums of all tokens together: a few rows a day for the charts of the whole gateway.
CREATE TABLE usage_total (
  day TEXT NOT NULL,
  model TEXT NOT NULL,
  ${sumsOf(words)},
  PRIMARY KEY (day, model)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER response_added AFTER INSERT ON response BEGIN${shareOfAdded}
END;
CREATE TRIGGER response_removed AFTER DELETE ON response BEGIN${shareOfRemoved}
END;
`
