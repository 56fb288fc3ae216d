import type { Database } from 'bun:sqlite'
import type { AccountFigures } from '../ports/records.ts'

export interface AccountTotals {
  balanceNano: number
  reservedNano: number
  readonly creditLimitNano: number
}

export type OpenAccounts = ReturnType<typeof createOpenAccounts>

/** The accounts of one transaction, each read and written once. For use with the write lock. */
export function createOpenAccounts(db: Database) {
  const readOne = db.prepare<AccountTotals, [number]>(
    `SELECT balance_nano AS balanceNano, reserved_nano AS reservedNano,
      credit_limit_nano AS creditLimitNano FROM account WHERE id = ?`,
  )
  const updateOne = db.prepare<void, [number, number, number]>(
    'UPDATE account SET balance_nano = ?, reserved_nano = ? WHERE id = ?',
  )
  const open = new Map<number, AccountTotals>()
  return {
    get(accountId: number): AccountTotals {
      let account = open.get(accountId)
      if (account === undefined) {
        // Of an unknown account nothing is written: the rows that name it are refused by their keys.
        account = readOne.get(accountId) ?? { balanceNano: 0, reservedNano: 0, creditLimitNano: 0 }
        open.set(accountId, account)
      }
      return account
    },
    /** Writes all of them; gives their figures. */
    write(): readonly AccountFigures[] {
      return [...open].map(([accountId, { balanceNano, reservedNano }]) => {
        updateOne.run(balanceNano, reservedNano, accountId)
        return { accountId, balanceNano }
      })
    },
    /** Before a transaction: what an earlier one read may have changed. */
    forget: () => open.clear(),
  }
}
