/** Codes of second factors that were used: each is good once, on whichever node. */
const table = (integer: string, text: string, end: string) => `
CREATE TABLE used_code (
  account_id ${integer} NOT NULL REFERENCES account (id),
  -- Keyed hash.
  code_hash ${text} NOT NULL,
  used_at ${integer} NOT NULL,
  PRIMARY KEY (account_id, code_hash)
)${end};
`

export const usedCodes = table('INTEGER', 'TEXT', ' STRICT')

export const postgresUsedCodes = table('bigint', 'text COLLATE "C"', '')
