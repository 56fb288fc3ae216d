import type { Database } from 'bun:sqlite'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { TokenRecord } from '../ports/tokens.ts'
import { type FoundToken, foundTokenColumns, toTokenRecord } from '../queries/tokens.ts'
import { createSpending } from './spending.ts'

const findByHash = `SELECT ${foundTokenColumns}
FROM token JOIN account ON account.id = token.account_id
WHERE token.key_hash = ? ORDER BY token.id DESC LIMIT 1`

/** The hot path's reading: one prepared statement. Of several rows of a key, the newest counts. */
export function createTokenLookup(
  db: Database,
  clock: Clock,
): (keyHash: string) => TokenRecord | undefined {
  const spending = createSpending(db)
  const statement = db.prepare<FoundToken, [string]>(findByHash)
  const spentOf = (tokenId: number) => spending(tokenId, utcDay(clock()))
  return (keyHash) => {
    const row = statement.get(keyHash)
    return row === null ? undefined : toTokenRecord(row, spentOf)
  }
}
