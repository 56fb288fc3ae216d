import { growingCommit } from './0009-postgres-growth.ts'

const column = (text: string) => `ALTER TABLE request ADD COLUMN extras ${text};\n`

/** What a request was charged for besides text tokens, as JSON text. */
export const extrasSqlite = column('TEXT')

export const extrasPostgres =
  column('text COLLATE "C"') + growingCommit({ column: ', extras', field: ', "extrasJson" text' })
