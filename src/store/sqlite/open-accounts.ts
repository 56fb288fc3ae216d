import type { Database } from 'bun:sqlite'
import type { AccountFigures } from '../ports/records.ts'

/** An account's figures while a batch works on them. */
export interface AccountTotals {
  balanceNano: number
  reservedNano: number
  readonly creditLimitNano: number
}

const read =
  'SELECT balance_nano AS balanceNano, reserved_nano AS reservedNano, ' +
  'credit_limit_nano AS creditLimitNano FROM account WHERE id = ?'

const update = 'UPDATE account SET balance_nano = ?, reserved_nano = ? WHERE id = ?'

/**
 * The accounts that one transaction works on: each is read once and written once, however many
 * requests of a batch are its own. Only for use inside of a transaction that holds the write lock.
 */
export function createOpenAccounts(db: Database) {
  const readOne = db.prepare<AccountTotals, [number]>(read)
  const updateOne = db.prepare<void, [number, number, number]>(update)
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
