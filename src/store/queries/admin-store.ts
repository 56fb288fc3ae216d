import { type Clock, utcDay } from '../../lib/clock.ts'
import type { AdminStore } from '../ports/admin.ts'
import { adjustBalance } from './adjust.ts'
import {
  countAccountsAndTokens,
  findAccount,
  findAccounts,
  findAccountsAt,
  listAccounts,
  listLedger,
  listTokens,
} from './admin.ts'
import { listAudit } from './audit.ts'
import { changeAccount } from './edits/accounts.ts'
import { setToken } from './edits/token-changes.ts'
import type { Engine } from './engine.ts'
import { readOverdrawn } from './overdrawn.ts'
import { spentWith } from './token-usage.ts'
import { applyWrites } from './write.ts'
import { applyNoted } from './write-noted.ts'

interface AdminParts {
  readonly engine: Engine
  readonly clock: Clock
}

/** Managing accounts and tokens: each change is one transaction. */
export function createAdminStore({ engine, clock }: AdminParts): AdminStore {
  const { read, write } = engine
  return {
    write: (writes, by) =>
      write(() =>
        by ? applyNoted(writes, { now: clock(), edit: by }) : applyWrites(writes, clock()),
      ),
    adjust: (adjustment) => write(() => adjustBalance(adjustment, clock())),
    changeAccount: (change) => write(() => changeAccount(change, clock())),
    changeToken: ({ id, actor, ...fields }) =>
      write(() => setToken({ now: clock(), edit: { actor } }, { id }, fields)),
    audit: (limit) => read(() => listAudit(limit)),
    ledger: (account, limit) => read(() => listLedger(account, limit)),
    spending: (tokenIds) => read(() => spentWith(tokenIds, utcDay(clock()))),
    accounts: () => read(listAccounts),
    accountsNamed: (emails) => read(() => findAccounts(emails)),
    accountsAt: (addresses) => read(() => findAccountsAt(addresses)),
    account: (email) => read(() => findAccount(email)),
    tokens: (filter) => read(() => listTokens(filter)),
    overdrawn: (filter) => read(() => readOverdrawn(filter)),
    counts: (atMost) => read(() => countAccountsAndTokens(atMost)),
  }
}
