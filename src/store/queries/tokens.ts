import { accountFields } from '../../resources/account.ts'
import { type Columns, columnsOf, fromColumns } from '../../resources/resource.ts'
import { type TokenColumns, type TokenSettings, tokenFields } from '../../resources/token.ts'
import type { TokenFilter, TokenHash, TokenRecord, TokenStore, TokenView } from '../ports/admin.ts'
import type { Spent, TokenSpending, TokenUsed } from '../ports/records.ts'
import { type Sql, sql } from '../schema/sql.ts'
import { all, type Engine, inParts, type Steps } from './steps.ts'

const defaultLimit = 1000

const ofToken = columnsOf(tokenFields)
  .map((column) => `token.${column}`)
  .join(', ')

/** Live tokens, as they are stored; `rest` begins with AND. */
export const selectTokens = (rest: Sql) => sql<TokenRow>`
  SELECT token.id, account.email AS account, token.account_id AS "accountId",
    token.key_hash AS "keyHash", token.key_sealed AS "keySealed", token.key_hint AS "keyHint",
    "group".name AS "group", token.created_at AS "createdAt", ${sql.raw(ofToken)}
  FROM token JOIN account ON account.id = token.account_id
  JOIN "group" ON "group".id = token.group_id WHERE token.deleted_at IS NULL ${rest}`

export function* listTokens(filter: TokenFilter): Steps<TokenView[]> {
  const { account, group, id, keyHashes, name, afterId, limit = defaultLimit } = filter
  // A live token's account and group are live too: a name of theirs means the live row.
  const conditions = [
    account === undefined ? [] : sql`account.email = ${account} AND account.deleted_at IS NULL`,
    group === undefined ? [] : sql`"group".name = ${group} AND "group".deleted_at IS NULL`,
    id === undefined ? [] : sql`token.id = ${id}`,
    keyHashes === undefined ? [] : sql`token.key_hash IN (${sql.join(keyHashes)})`,
    name === undefined ? [] : sql`token.name = ${name}`,
    afterId === undefined ? [] : sql`token.id > ${afterId}`,
  ].flat()
  const where = sql.join([sql``, ...conditions], sql` AND `)
  return (yield* all(selectTokens(sql`${where} ORDER BY token.id LIMIT ${limit}`))).map(readToken)
}

interface TokenRow extends TokenColumns, Omit<TokenView, keyof TokenSettings> {
  readonly group: string
  readonly accountId: number
}

export function readToken(row: TokenRow): TokenView {
  const { id, account, keyHash, keySealed, keyHint, group, createdAt } = row
  return {
    ...{ id, account, keyHash, keySealed, keyHint, group, createdAt },
    ...fromColumns(tokenFields, row),
  }
}

/** What authentication reads of an account. */
const { role: _, ...readFields } = accountFields
const accountColumns = columnsOf(readFields)

/** What a look-up selects of a token and its account; the names are those of `FoundToken`. */
export const foundTokenColumns = `token.id, token.group_id AS "groupId",
  token.deleted_at AS "deletedAt", ${ofToken}, account.id AS "accountId", account.email,
  account.email_verified AS "emailVerified", account.deleted_at AS "accountDeletedAt",
  account.balance_nano AS "balanceNano",
  ${accountColumns.map((column) => `account.${column} AS "account.${column}"`).join(', ')}`

type AccountColumns = Columns<typeof readFields>
type OfAccount = {
  readonly [Column in keyof AccountColumns as `account.${Column}`]: AccountColumns[Column]
}

export interface FoundToken extends TokenColumns, OfAccount {
  readonly id: number
  readonly groupId: number
  readonly deletedAt: number | null
  readonly accountId: number
  readonly email: string
  readonly emailVerified: number
  readonly accountDeletedAt: number | null
  readonly balanceNano: number
}

/** A row as the port gives it; `spentOf` is asked for a token with a budget only. */
export function toTokenRecord(row: FoundToken, spentOf: (tokenId: number) => Spent): TokenRecord {
  const { id, groupId, deletedAt, email, balanceNano } = row
  const settings = fromColumns(tokenFields, row)
  const isLimited = Object.values(settings.budget).some((limit) => limit !== null)
  const ofAccount = accountColumns.map((column) => [column, row[`account.${column}`]])
  return {
    ...{ id, groupId, deletedAt },
    ...settings,
    spent: isLimited ? spentOf(id) : null,
    account: {
      ...{ id: row.accountId, email, isVouched: row.emailVerified === 1, balanceNano },
      ...{ deletedAt: row.accountDeletedAt },
      ...fromColumns(readFields, Object.fromEntries(ofAccount)),
    },
  }
}

/** What tokens were charged in all, on a UTC day and in its month; unused ones are left out. */
export function* readUsed(
  tokenIds: readonly number[],
  day: string,
): Steps<ReadonlyMap<number, TokenUsed>> {
  const rows = yield* inParts(tokenIds, (part) => selectUsed(part, day))
  return new Map(
    rows.map(({ id, lastUsedDay, ...spent }) => [id, { lastUsedDay, spent: { ...spent, day } }]),
  )
}

interface UsedRow extends Omit<Spent, 'day'> {
  readonly id: number
  readonly lastUsedDay: string
}

const selectUsed = (tokenIds: Sql, day: string) => sql<UsedRow>`
  SELECT token_id AS id, max(day) AS "lastUsedDay", sum(amount_nano) AS "totalNano",
    coalesce(sum(amount_nano) FILTER (WHERE day = ${day}), 0) AS "dayNano",
    coalesce(sum(amount_nano) FILTER (WHERE substr(day, 1, 7) = ${day.slice(0, 7)}), 0)
      AS "monthNano"
  FROM usage_day WHERE token_id IN (${tokenIds}) GROUP BY token_id`

/** The same of a token that was never used. */
export const unused = (day: string): TokenUsed => ({
  spent: { totalNano: 0, dayNano: 0, monthNano: 0, day },
  lastUsedDay: null,
})

/** What was spent with each of these tokens. */
export function* spentWith(tokenIds: readonly number[], day: string): Steps<TokenSpending[]> {
  const used = yield* readUsed(tokenIds, day)
  return tokenIds.map((tokenId) => ({ tokenId, spent: (used.get(tokenId) ?? unused(day)).spent }))
}

export const createTokenHashes = ({ read }: Engine): Pick<TokenStore, 'hashesAfter'> => ({
  hashesAfter: (id, limit) =>
    read(() =>
      all(
        sql<TokenHash>`SELECT id, key_hash AS "keyHash" FROM token
          WHERE id > ${id} ORDER BY id LIMIT ${limit}`,
      ),
    ),
})
