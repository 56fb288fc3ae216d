import type { Database } from 'bun:sqlite'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { AdminStore } from '../ports/admin.ts'
import { adjustBalance } from './adjust.ts'
import {
  countAccountsAndTokens,
  findAccount,
  findAccounts,
  listAccounts,
  listLedger,
  listTokens,
} from './admin.ts'
import { listAudit } from './audit.ts'
import { changeAccount, changeToken } from './change.ts'
import type { Queries } from './queries.ts'
import { createSpending } from './spending.ts'
import { applyWrites } from './write.ts'

interface AdminParts {
  readonly db: Database
  readonly queries: Queries
  readonly clock: Clock
  /** Runs work on the database; its errors come out explained. */
  readonly access: <Result>(work: () => Result) => Promise<Result>
}

/** Managing accounts and tokens: each change is one transaction. */
export function createAdminStore({ db, queries, clock, access }: AdminParts): AdminStore {
  const write = db.transaction(applyWrites)
  const adjust = db.transaction(adjustBalance)
  const setAccount = db.transaction(changeAccount)
  const setToken = db.transaction(changeToken)
  const spending = createSpending(db)
  const spentBy = (tokenId: number) => ({ tokenId, spent: spending(tokenId, utcDay(clock())) })
  return {
    write: (writes) => access(() => write.immediate(queries, writes, clock())),
    adjust: (adjustment) => access(() => adjust.immediate(queries, adjustment, clock())),
    changeAccount: (change) => access(() => setAccount.immediate(queries, change, clock())),
    changeToken: (change) => access(() => setToken.immediate(queries, change, clock())),
    audit: (limit) => access(() => listAudit(queries, limit)),
    ledger: (account, limit) => access(() => listLedger(queries, account, limit)),
    spending: (tokenIds) => access(() => tokenIds.map(spentBy)),
    accounts: () => access(() => listAccounts(queries)),
    accountsNamed: (emails) => access(() => findAccounts(queries, emails)),
    account: (email) => access(() => findAccount(queries, email)),
    tokens: (filter) => access(() => listTokens(queries, filter)),
    counts: (atMost) => access(() => countAccountsAndTokens(queries, atMost)),
  }
}
