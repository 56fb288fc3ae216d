import type { Database } from 'bun:sqlite'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { Limits } from '../ports/catalog.ts'
import type { TokenBudget, TokenRecord } from '../ports/tokens.ts'
import { parseList } from '../queries/json.ts'
import { createSpending } from './spending.ts'

const findByHash = `
SELECT token.id, token.name, token.group_id AS groupId, token.status,
  token.deleted_at AS deletedAt, token.expires_at AS expiresAt, token.models,
  token.ip_allow AS ipAllow, token.strict, token.budget_total_nano AS totalNano,
  token.budget_day_nano AS dayNano, token.budget_month_nano AS monthNano, account.id AS accountId, account.email,
  account.status AS accountStatus, account.deleted_at AS accountDeletedAt,
  account.balance_nano AS balanceNano, account.credit_limit_nano AS creditLimitNano,
  account.balance_low_nano AS balanceLowNano, token.rpm, token.tpm, token.concurrency,
  account.rpm AS accountRpm, account.tpm AS accountTpm, account.concurrency AS accountConcurrency
FROM token JOIN account ON account.id = token.account_id
WHERE token.key_hash = ? ORDER BY token.id DESC LIMIT 1`

interface FoundToken
  extends Omit<
      TokenRecord,
      'models' | 'ipAllow' | 'isStrict' | 'budget' | 'limits' | 'spent' | 'account'
    >,
    TokenBudget,
    Limits {
  readonly models: string
  readonly ipAllow: string
  readonly strict: number
  readonly accountId: number
  readonly email: string
  readonly accountStatus: 'active' | 'disabled'
  readonly accountDeletedAt: number | null
  readonly balanceNano: number
  readonly creditLimitNano: number
  readonly balanceLowNano: number | null
  readonly accountRpm: number | null
  readonly accountTpm: number | null
  readonly accountConcurrency: number | null
}

/** The hot path's reading: one prepared statement. Of several rows of a key, the newest counts. */
export function createTokenLookup(
  db: Database,
  clock: Clock,
): (keyHash: string) => TokenRecord | undefined {
  const spending = createSpending(db)
  const statement = db.prepare<FoundToken, [string]>(findByHash)
  return (keyHash) => {
    const row = statement.get(keyHash)
    if (row === null) return undefined
    const { accountId, email, accountStatus, accountDeletedAt, ...more } = row
    const { balanceNano, creditLimitNano, balanceLowNano, ...other } = more
    const { totalNano, dayNano, monthNano, strict, ...named } = other
    const { accountRpm, accountTpm, accountConcurrency, ...limited } = named
    const { rpm, tpm, concurrency, ...token } = limited
    const budget = { totalNano, dayNano, monthNano }
    const isLimited = Object.values(budget).some((limit) => limit !== null)
    return {
      ...token,
      budget,
      limits: { rpm, tpm, concurrency },
      spent: isLimited ? spending(token.id, utcDay(clock())) : null,
      models: parseList(row.models),
      ipAllow: parseList(row.ipAllow),
      isStrict: strict === 1,
      account: {
        id: accountId,
        email,
        status: accountStatus,
        deletedAt: accountDeletedAt,
        balanceNano,
        creditLimitNano,
        balanceLowNano,
        limits: { rpm: accountRpm, tpm: accountTpm, concurrency: accountConcurrency },
      },
    }
  }
}
