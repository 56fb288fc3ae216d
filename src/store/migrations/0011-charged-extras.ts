import { growingCommit } from './0009-postgres-growth.ts'

const column = (text: string) => `ALTER TABLE request ADD COLUMN extras ${text};\n`

/** What a request was charged for besides text tokens, as JSON text. */
export const extrasSqlite = column('TEXT')

/** What later forms of the hot path's writing name, too. */
export const extrasAdded = { column: ', extras', field: ', "extrasJson" text' }

export const extrasPostgres = column('text COLLATE "C"') + growingCommit(extrasAdded)
