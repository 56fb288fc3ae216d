import { documentTable } from './0007-postgres-tables.ts'
import { anyChange, onStatement } from './0007-postgres-triggers.ts'

const table = (text: string, integer: string, end: string) => `
-- The newest program that has brought these tables up to date: one row.
CREATE TABLE program (
  version ${text} NOT NULL,
  -- How many gateways have served from them since they were upgraded and ended in order; NULL: they
  -- were made new, or not in a file.
  runs ${integer}
)${end};
`

/** Which program has made the tables as they are. */
export const programSqlite = table('TEXT', 'INTEGER', ' STRICT')

/** The first programs that had PostgreSQL, unreleased ones, did not make the table of documents. */
const missingDocuments = `
DO $$ BEGIN
  IF to_regclass('document') IS NULL THEN
    ${documentTable}
    ${onStatement('document', anyChange)}
  END IF;
END $$;
`

export const programPostgres = table('text COLLATE "C"', 'bigint', '') + missingDocuments
