import { columnsOf, fromColumns } from '../../resources/resource.ts'
import { type TokenColumns, tokenFields } from '../../resources/token.ts'
import type { Spent } from '../ports/records.ts'
import type { TokenRecord } from '../ports/tokens.ts'
import { parseRegions } from './json.ts'

const settings = columnsOf(tokenFields).map((column) => `token.${column}`)

/** What a look-up selects of a token and its account; the names are those of `FoundToken`. */
export const foundTokenColumns = `token.id, token.group_id AS "groupId",
  token.deleted_at AS "deletedAt", ${settings.join(', ')},
  account.id AS "accountId", account.email,
  account.email_verified AS "emailVerified", account.status AS "accountStatus",
  account.deleted_at AS "accountDeletedAt", account.balance_nano AS "balanceNano",
  account.credit_limit_nano AS "creditLimitNano", account.balance_low_nano AS "balanceLowNano",
  account.rpm AS "accountRpm",
  account.tpm AS "accountTpm", account.concurrency AS "accountConcurrency",
  account.regions AS "accountRegions"`

export interface FoundToken extends TokenColumns {
  readonly id: number
  readonly groupId: number
  readonly deletedAt: number | null
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
  const { id, groupId, deletedAt } = row
  const settings = fromColumns(tokenFields, row)
  const isLimited = Object.values(settings.budget).some((limit) => limit !== null)
  return {
    ...{ id, groupId, deletedAt },
    ...settings,
    spent: isLimited ? spentOf(id) : null,
    account: {
      id: row.accountId,
      email: row.email,
      isVouched: row.emailVerified === 1,
      status: row.accountStatus,
      deletedAt: row.accountDeletedAt,
      balanceNano: row.balanceNano,
      creditLimitNano: row.creditLimitNano,
      balanceLowNano: row.balanceLowNano,
      limits: { rpm: row.accountRpm, tpm: row.accountTpm, concurrency: row.accountConcurrency },
      regions: parseRegions(row.accountRegions),
    },
  }
}
