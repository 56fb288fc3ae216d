import type { Limits } from '../ports/catalog.ts'
import type { Spent } from '../ports/records.ts'
import type { TokenBudget, TokenRecord } from '../ports/tokens.ts'
import { parseList, parseRegions } from './json.ts'

/** What a look-up selects of a token and its account; the names are those of `FoundToken`. */
export const foundTokenColumns = `token.id, token.name, token.group_id AS "groupId", token.status,
  token.deleted_at AS "deletedAt", token.expires_at AS "expiresAt", token.models,
  token.ip_allow AS "ipAllow", token.strict, token.budget_total_nano AS "totalNano",
  token.budget_day_nano AS "dayNano", token.budget_month_nano AS "monthNano",
  account.id AS "accountId", account.email,
  account.email_verified AS "emailVerified", account.status AS "accountStatus",
  account.deleted_at AS "accountDeletedAt", account.balance_nano AS "balanceNano",
  account.credit_limit_nano AS "creditLimitNano", account.balance_low_nano AS "balanceLowNano",
  token.rpm, token.tpm, token.concurrency, account.rpm AS "accountRpm",
  account.tpm AS "accountTpm", account.concurrency AS "accountConcurrency",
  account.regions AS "accountRegions"`

export interface FoundToken
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
  readonly emailVerified: number
  readonly accountStatus: 'active' | 'disabled'
  readonly accountDeletedAt: number | null
  readonly balanceNano: number
  readonly creditLimitNano: number
  readonly balanceLowNano: number | null
  readonly accountRpm: number | null
  readonly accountTpm: number | null
  readonly accountConcurrency: number | null
  readonly accountRegions: string | null
}

/** A row as the port gives it; `spentOf` is asked for a token with a budget only. */
export function toTokenRecord(row: FoundToken, spentOf: (tokenId: number) => Spent): TokenRecord {
  const { accountId, email, emailVerified, accountStatus, accountDeletedAt, ...more } = row
  const { balanceNano, creditLimitNano, balanceLowNano, ...other } = more
  const { totalNano, dayNano, monthNano, strict, ...named } = other
  const { accountRpm, accountTpm, accountConcurrency, accountRegions, ...limited } = named
  const { rpm, tpm, concurrency, ...token } = limited
  const budget = { totalNano, dayNano, monthNano }
  const isLimited = Object.values(budget).some((limit) => limit !== null)
  return {
    ...token,
    budget,
    limits: { rpm, tpm, concurrency },
    spent: isLimited ? spentOf(token.id) : null,
    models: parseList(row.models),
    ipAllow: parseList(row.ipAllow),
    isStrict: strict === 1,
    account: {
      id: accountId,
      email,
      isVouched: emailVerified === 1,
      status: accountStatus,
      deletedAt: accountDeletedAt,
      balanceNano,
      creditLimitNano,
      balanceLowNano,
      limits: { rpm: accountRpm, tpm: accountTpm, concurrency: accountConcurrency },
      regions: parseRegions(accountRegions),
    },
  }
}
