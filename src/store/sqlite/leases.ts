import type { Database } from 'bun:sqlite'
import { grant } from '../../leases/grant.ts'
import type { Lease, LeaseWish } from '../../leases/messages.ts'
import type { OpenAccounts } from './open-accounts.ts'

/** The one process that serves from the file. */
const node = 0

/** The leases of one transaction. For use with the write lock. */
export function createLeases(db: Database, openAccounts: OpenAccounts) {
  const read = db.prepare<Omit<Lease, 'accountId'>, [number]>(
    `SELECT amount_nano AS leaseNano, wish_no AS no FROM lease
      WHERE account_id = ? AND node_id = ${node}`,
  )
  const write = db.prepare<void, [number, number, number]>(
    `INSERT INTO lease (account_id, amount_nano, wish_no, node_id) VALUES (?, ?, ?, ${node})
      ON CONFLICT (account_id, node_id) DO UPDATE SET amount_nano = excluded.amount_nano,
        wish_no = excluded.wish_no`,
  )
  const open = new Map<number, Lease>()

  function get(accountId: number): Lease {
    const known = open.get(accountId)
    if (known) return known
    const lease = { accountId, ...(read.get(accountId) ?? { leaseNano: 0, no: 0 }) }
    open.set(accountId, lease)
    return lease
  }

  function set(lease: Lease, before: Lease): void {
    open.set(lease.accountId, lease)
    openAccounts.get(lease.accountId).reservedNano += lease.leaseNano - before.leaseNano
  }

  return {
    /** It is told how large it is, by `write`. */
    note: (accountId: number): unknown => get(accountId),
    /** What it has paid of a charge. */
    pay(accountId: number, nano: number): void {
      const lease = get(accountId)
      set({ ...lease, leaseNano: Math.max(0, lease.leaseNano - nano) }, lease)
    },
    /** After what is charged and released: that is free for it. */
    grant(wish: LeaseWish): void {
      const { balanceNano, creditLimitNano, reservedNano } = openAccounts.get(wish.accountId)
      const lease = get(wish.accountId)
      set(grant(lease, wish, balanceNano + creditLimitNano - reservedNano), lease)
    },
    isOut: (accountId: number): boolean =>
      ((open.get(accountId) ?? read.get(accountId))?.leaseNano ?? 0) > 0,
    /** Writes all of them; gives what they are now. */
    write(): readonly Lease[] {
      const leases = [...open.values()]
      for (const { accountId, leaseNano, no } of leases)
        if (leaseNano + no > 0) write.run(accountId, leaseNano, no)
      return leases
    },
    /** Before a transaction: what an earlier one read may have changed. */
    forget: () => open.clear(),
  }
}
