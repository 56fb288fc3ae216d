import { grant } from '../../src/leases/grant.ts'
import type { Lease } from '../../src/leases/messages.ts'
import type { Batch, Committed, LeaseSource, RecordStore } from '../../src/store/ports/records.ts'
import type { Store } from '../../src/store/ports/store.ts'

/** A store that lends: its leases are kept here, by the rule of lending. */
export function createLendingStore(store: Store) {
  const leases = new Map<number, Lease>()
  const batches: Batch[] = []
  const told = {
    isOpen: true,
    recall: (_: readonly number[]) => {},
    lose: () => {},
    fails: undefined as Error | undefined,
  }

  const leaseOf = (accountId: number): Lease =>
    leases.get(accountId) ?? { accountId, leaseNano: 0, no: 0 }

  async function freeNano(accountId: number): Promise<number> {
    const found = (await store.admin.accounts()).find(({ id }) => id === accountId)
    if (!found) return 0
    const { balanceNano, creditLimitNano, reservedNano } = found
    return balanceNano + creditLimitNano - reservedNano - leaseOf(accountId).leaseNano
  }

  async function lend(batch: Batch): Promise<readonly Lease[]> {
    const named = new Set<number>()
    for (const { request, leasedNano } of batch.settle ?? []) {
      if (leasedNano === undefined) continue
      named.add(request.accountId)
      const lease = leaseOf(request.accountId)
      const leaseNano = Math.max(0, lease.leaseNano - leasedNano)
      leases.set(request.accountId, { ...lease, leaseNano })
    }
    for (const wish of batch.leases ?? []) {
      named.add(wish.accountId)
      const free = await freeNano(wish.accountId)
      leases.set(wish.accountId, grant(leaseOf(wish.accountId), wish, free))
    }
    return [...named].map(leaseOf)
  }

  async function commit(batch: Batch): Promise<Committed> {
    if (told.fails) throw told.fails
    batches.push(batch)
    const { settle = [], release = [], reserve = [], grow = [] } = batch
    const first = await store.records.commit({ settle, release })
    const lent = await lend(batch)
    const denied = new Map(first.denied)
    for (const one of reserve) {
      const isFree = one.amountNano === 0 || (await freeNano(one.accountId)) >= one.amountNano
      const next = isFree ? await store.records.commit({ reserve: [one] }) : undefined
      if (next === undefined || next.denied.size > 0) denied.set(one.requestId, 'balance')
    }
    for (const one of grow) {
      const isFree = (await freeNano(one.accountId)) >= one.byNano
      const next = isFree ? await store.records.commit({ grow: [one] }) : undefined
      if (next === undefined || next.denied.size > 0) denied.set(one.requestId, 'balance')
    }
    return { ...first, denied, ...(lent.length > 0 && { leases: lent }) }
  }

  const source: LeaseSource = {
    mayBegin: () => told.isOpen,
    onRecall(listener) {
      told.recall = listener
    },
    onLost(listener) {
      told.lose = listener
    },
  }
  const records: RecordStore = { ...store.records, commit, leases: source }
  return {
    records,
    batches,
    told,
    leaseNano: (accountId: number) => leaseOf(accountId).leaseNano,
    freeNano,
  }
}
