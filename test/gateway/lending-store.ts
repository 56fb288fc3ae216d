import type { Lease } from '../../src/leases/messages.ts'
import type { Batch, Committed, LeaseSource, RecordStore } from '../../src/store/ports/records.ts'
import type { Store } from '../../src/store/ports/store.ts'

/** A store's records with its leases: what it was given, and what it last answered. */
export function createLendingStore(store: Store) {
  const leases = new Map<number, Lease>()
  const batches: Batch[] = []
  const told = {
    isOpen: true,
    recall: (_: readonly number[]) => {},
    lose: () => {},
    fails: undefined as Error | undefined,
  }

  async function commit(batch: Batch): Promise<Committed> {
    if (told.fails) throw told.fails
    batches.push(batch)
    const committed = await store.records.commit(batch)
    for (const lease of committed.leases ?? []) leases.set(lease.purse, lease)
    return committed
  }

  const source: LeaseSource = {
    mayBegin: () => told.isOpen,
    onRecall(listener) {
      told.recall = listener
      store.records.leases?.onRecall(listener)
    },
    onLost(listener) {
      told.lose = listener
    },
  }
  // Who has leases is not alone.
  const records: RecordStore = { ...store.records, isShared: true, commit, leases: source }
  return {
    ...{ records, batches, told },
    leaseNano: (accountId: number) => leases.get(accountId)?.leaseNano ?? 0,
    async freeNano(accountId: number): Promise<number> {
      const account = (await store.admin.accounts()).find(({ id }) => id === accountId)
      return account
        ? account.balanceNano + account.creditLimitNano - account.reservedNano
        : Number.NaN
    },
  }
}
