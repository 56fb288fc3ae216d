const table = (text: string, integer: string, end: string) => `
-- The newest program that has brought these tables up to date: one row.
CREATE TABLE program (
  version ${text} NOT NULL,
  -- How often it was served from since then, as long as there is a copy of the tables of before.
  starts ${integer} NOT NULL
)${end};
`

/** Which program has made the tables as they are. */
export const programSqlite = table('TEXT', 'INTEGER', ' STRICT')

export const programPostgres = table('text COLLATE "C"', 'bigint', '')
