import type { Database } from 'bun:sqlite'
import { grant } from '../../leases/grant.ts'
import type { Lease, LeaseWish } from '../../leases/messages.ts'
import { type Purse, tokenOf } from '../../leases/purse.ts'
import type { OpenAccounts } from './open-accounts.ts'
import type { BudgetRooms } from './rooms.ts'

/** The one process that serves from the file. */
const node = 0

/** The leases of one transaction. For use with the write lock. */
export function createLeases(db: Database, openAccounts: OpenAccounts, budgetRooms: BudgetRooms) {
  const read = db.prepare<Omit<Lease, 'purse'>, [number]>(
    `SELECT amount_nano AS leaseNano, wish_no AS no FROM lease
      WHERE purse = ? AND node_id = ${node}`,
  )
  const write = db.prepare<void, [number, number, number]>(
    `INSERT INTO lease (purse, amount_nano, wish_no, node_id) VALUES (?, ?, ?, ${node})
      ON CONFLICT (purse, node_id) DO UPDATE SET amount_nano = excluded.amount_nano,
        wish_no = excluded.wish_no`,
  )
  const open = new Map<Purse, Lease>()

  function get(purse: Purse): Lease {
    const known = open.get(purse)
    if (known) return known
    const lease = { purse, ...(read.get(purse) ?? { leaseNano: 0, no: 0 }) }
    open.set(purse, lease)
    return lease
  }

  function set(lease: Lease, before: Lease): void {
    const { purse, leaseNano } = lease
    open.set(purse, lease)
    const tokenId = tokenOf(purse)
    const moreNano = leaseNano - before.leaseNano
    if (tokenId === undefined) openAccounts.get(purse).reservedNano += moreNano
    else budgetRooms.take(tokenId, moreNano)
  }

  /** What can be lent of it. */
  function freeNano(purse: Purse): number {
    const tokenId = tokenOf(purse)
    if (tokenId !== undefined) {
      const nano = budgetRooms.of(tokenId)
      return Number.isFinite(nano) ? nano : 0 // without a budget there is nothing to lend
    }
    const { balanceNano, creditLimitNano, reservedNano } = openAccounts.get(purse)
    return balanceNano + creditLimitNano - reservedNano
  }

  return {
    /** What it has paid of a charge, 0 is possible. It is told how large it is, by `write`. */
    pay(purse: Purse, nano: number): void {
      const lease = get(purse)
      if (nano > 0) set({ ...lease, leaseNano: Math.max(0, lease.leaseNano - nano) }, lease)
    },
    /** After what is charged and released: that is free for it. */
    grant(wish: LeaseWish): void {
      const lease = get(wish.purse)
      set(grant(lease, wish, freeNano(wish.purse)), lease)
    },
    leaseNano: (purse: Purse): number => (open.get(purse) ?? read.get(purse))?.leaseNano ?? 0,
    /** Writes all of them; gives what they are now. */
    write(): readonly Lease[] {
      const leases = [...open.values()]
      for (const { purse, leaseNano, no } of leases)
        if (leaseNano + no > 0) write.run(purse, leaseNano, no)
      return leases
    },
    /** Before a transaction: what an earlier one read may have changed. */
    forget: () => open.clear(),
  }
}
