import type { Database } from 'bun:sqlite'
import type { TokenRecord } from '../ports/tokens.ts'
import { parseList } from './json.ts'

const findByHash = `
SELECT token.id, token.name, token.group_id AS groupId, token.status,
  token.deleted_at AS deletedAt, token.expires_at AS expiresAt, token.models,
  token.ip_allow AS ipAllow, account.id AS accountId, account.email,
  account.status AS accountStatus, account.deleted_at AS accountDeletedAt,
  account.balance_nano AS balanceNano
FROM token JOIN account ON account.id = token.account_id
WHERE token.key_hash = ? ORDER BY token.id DESC LIMIT 1`

interface FoundToken extends Omit<TokenRecord, 'models' | 'ipAllow' | 'account'> {
  readonly models: string
  readonly ipAllow: string
  readonly accountId: number
  readonly email: string
  readonly accountStatus: 'active' | 'disabled'
  readonly accountDeletedAt: number | null
  readonly balanceNano: number
}

/** The hot path's reading: one prepared statement. Of several rows of a key, the newest counts. */
export function createTokenLookup(db: Database): (keyHash: string) => TokenRecord | undefined {
  const statement = db.prepare<FoundToken, [string]>(findByHash)
  return (keyHash) => {
    const row = statement.get(keyHash)
    if (row === null) return undefined
    const { accountId, email, accountStatus, accountDeletedAt, balanceNano, ...token } = row
    return {
      ...token,
      models: parseList(row.models),
      ipAllow: parseList(row.ipAllow),
      account: {
        id: accountId,
        email,
        status: accountStatus,
        deletedAt: accountDeletedAt,
        balanceNano,
      },
    }
  }
}
