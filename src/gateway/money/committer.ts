import type { LeaseWish } from '../../leases/messages.ts'
import type { Logger } from '../../lib/log.ts'
import type {
  Batch,
  Committed,
  Growth,
  MoneyLimit,
  RecordStore,
  Reservation,
  Settlement,
  Spool,
} from '../../store/ports/records.ts'
import { StoreError } from '../../store/ports/store-error.ts'
import type { Leases } from './leases.ts'
import { createRetryQueue, joined, mostTogether } from './retry-queue.ts'

export type Denial = MoneyLimit | 'busy' | undefined

/** Callbacks of a stored item: each is called once, and must not throw. */
export interface CommitListener {
  resolve(denial: Denial): void
  reject(error: unknown): void
}

export type Committer = ReturnType<typeof createCommitter>

/** A reservation waits at most this long: `commitNow` stores it earlier, a settlement replaces it. */
const batchWindowMs = 50

const noWishes: readonly LeaseWish[] = []

const nothingChanged: Committed = { denied: new Map(), accounts: [], tokens: [] }

interface Item {
  readonly requestId: string
  readonly part: Batch
  readonly listener: CommitListener
  /** An answer goes out by it: if the store does not take it, the spool does. */
  readonly isSpoolable: boolean
}

/** Of a reservation that a lease covers: its row may come late, or never. */
const covered: CommitListener = { resolve() {}, reject() {} }

/** What a batch carries of leases. */
type BatchLeases = Pick<Leases, 'hasWishes' | 'wishes' | 'failed' | 'leasedOf' | 'returnAll'>

/** One commit per turn of the event loop. `onCommitted` gets new figures before waiters go on. */
export function createCommitter(
  records: Pick<RecordStore, 'isShared' | 'commit'>,
  onCommitted: (batch: Batch, committed: Committed) => void,
  log: Logger,
  spool?: Spool,
  leases?: BatchLeases,
) {
  const queue: Item[] = []
  let isFlushing = false
  /** Wishes are committed without items. */
  let isWishing = false
  const idleWaiters: (() => void)[] = []
  /** Requests whose reservation the store rejected. */
  const unreserved = new Set<string>()

  async function commit(batch: Batch): Promise<Committed> {
    const committed = await records.commit(batch)
    onCommitted(batch, committed)
    return committed
  }

  const retries = createRetryQueue(commit, log, spool)

  async function flush(): Promise<void> {
    while (queue.length > 0 || isWishing) {
      isWishing = false
      const items = queue.splice(0, mostTogether)
      const wishes = leases?.hasWishes() ? leases.wishes() : noWishes
      try {
        const batch = joined(items, wishes)
        const committed = await records.commit(batch)
        onCommitted(batch, committed)
        const { denied } = committed
        for (const { requestId, listener } of items) listener.resolve(denied.get(requestId))
        if (unreserved.size > 0) for (const { requestId } of items) unreserved.delete(requestId)
      } catch (error) {
        if (wishes.length > 0) leases?.failed(wishes)
        // When the store as a whole fails, retrying a batch in parts is useless.
        if (items.length > 1 && !(error instanceof StoreError)) await commitSingly(items)
        else await refuse(items, error)
      }
    }
    isFlushing = false
    for (const go of idleWaiters.splice(0)) go()
  }

  /** An item that can't be stored must not block the others of its batch. */
  async function commitSingly(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      try {
        const { denied } = await commit(item.part)
        item.listener.resolve(denied.get(item.requestId))
      } catch (error) {
        await refuse([item], error)
      }
    }
  }

  /** Answers whose charge is synced in the spool go on; it is stored later. */
  async function refuse(items: readonly Item[], error: unknown): Promise<void> {
    for (const { part, requestId, listener } of items)
      if (part.reserve && listener !== covered) unreserved.add(requestId)
    const spoolable = error instanceof StoreError ? items.filter(isSpoolable) : []
    const spooled = new Set((await isSpooled(spoolable)) ? spoolable : [])
    for (const item of items) {
      if (!item.part.reserve) unreserved.delete(item.requestId)
      if (spooled.has(item)) {
        retries.keep(item.requestId, item.part)
        item.listener.resolve(undefined)
      } else item.listener.reject(error)
    }
  }

  const isSpoolable = (item: Item) => item.isSpoolable && !unreserved.has(item.requestId)

  async function isSpooled(spoolable: readonly Item[]): Promise<boolean> {
    if (spool === undefined || spoolable.length === 0) return false
    try {
      await spool.add(spoolable.flatMap(({ part }) => part.settle ?? []))
      return true
    } catch {
      return false // logged by the spool
    }
  }

  function enqueue(item: Item): void {
    queue.push(item)
    beginFlush()
  }

  function beginFlush(): void {
    if (isFlushing) return
    isFlushing = true
    setImmediate(flush)
  }

  async function flushed(): Promise<void> {
    while (isFlushing) await new Promise<void>((resolve) => idleWaiters.push(resolve))
  }

  const batchWindow = createBatchWindow(enqueue)

  function add(requestId: string, part: Batch, spoolable = false): Promise<Denial> {
    const listener = Promise.withResolvers<Denial>()
    enqueue({ requestId, part, listener, isSpoolable: spoolable })
    return listener.promise
  }

  /** Removes an uncommitted reservation; true when there was one. */
  function withdraw(requestId: string): boolean {
    const item = batchWindow.take(requestId)
    item?.listener.resolve(undefined)
    return item !== undefined
  }

  function settledPart(settlement: Settlement): Batch {
    const neverReserved = withdraw(settlement.request.requestId)
    const leased = leasedPart(settlement)
    return { settle: [neverReserved ? { ...leased, neverReserved } : leased] }
  }

  function leasedPart(settlement: Settlement): Settlement {
    const { requestId, amountNano } = settlement.request
    const leasedNano = leases?.leasedOf(requestId, amountNano)
    return leasedNano === undefined ? settlement : { ...settlement, leasedNano }
  }

  const addInBackground = (requestId: string, part: Batch): void => {
    add(requestId, part).catch((error: unknown) => {
      log.error('request record not stored', { request_id: requestId, error: String(error) })
      if (error instanceof StoreError) retries.keep(requestId, part)
    })
  }

  return {
    /** Whether other nodes spend the same money: only what is committed counts. */
    isShared: records.isShared,
    /** Resolves when committed or spooled; else rejects. Spools only reserved and covered requests. */
    settle(settlement: Settlement): Promise<unknown> {
      const part = settledPart(settlement)
      const settled = part.settle?.[0]
      const isPaid = settled?.neverReserved !== true || settled.leasedNano !== undefined
      return add(settlement.request.requestId, part, isPaid)
    },
    /** Stores in the background, and retries what the store can't take now. */
    record: (settlement: Settlement): void =>
      addInBackground(settlement.request.requestId, settledPart(settlement)),
    /** Retries until it is stored: what was delivered is charged, if late. */
    keep: (settlement: Settlement): void =>
      retries.keep(settlement.request.requestId, { settle: [leasedPart(settlement)] }),
    /** Commits after the batch window, with the settlement, or at once in a shared store. */
    reserve(reservation: Reservation, listener: CommitListener): void {
      const { requestId } = reservation
      const part = { reserve: [reservation] }
      const item = { requestId, part, listener, isSpoolable: false }
      if (records.isShared) enqueue(item)
      else batchWindow.add(item)
    },
    /** Commits after the batch window, or with the settlement: a lease covers it. */
    reserveCovered(reservation: Reservation): void {
      const { requestId } = reservation
      const part = { reserve: [reservation] }
      batchWindow.add({ requestId, part, listener: covered, isSpoolable: false })
    },
    /** Commits wishes for leases that must not wait for an item. */
    commitWishes(): void {
      if (!leases?.hasWishes()) return
      isWishing = true
      beginFlush()
    },
    commitNow(requestId: string): void {
      const item = batchWindow.take(requestId)
      if (item) enqueue(item)
    },
    /** Ends the batch window of all waiting reservations. */
    commitAllNow: batchWindow.end,
    grow: (growth: Growth): Promise<Denial> => add(growth.requestId, { grow: [growth] }),
    /** Releases the reservation of a request that leaves no record, in the background. */
    release(requestId: string): void {
      const part = { release: [requestId] }
      if (withdraw(requestId)) onCommitted(part, nothingChanged)
      else addInBackground(requestId, part)
    },
    /** Whether items wait for a failing store, which is retried each second. */
    isBehind: (): boolean => retries.size() > 0,
    /** Resolves when everything is stored, or else in the spool. */
    async idle(): Promise<void> {
      batchWindow.end()
      await flushed()
      leases?.returnAll()
      await flushed()
      await retries.lastTry()
    },
  }
}

/** Holds reservations until the window ends: many requests (embeddings, refusals) are settled before. */
function createBatchWindow(enqueue: (item: Item) => void) {
  /** Entries are emptied when they leave: former tables of the map keep them, see `Roster`. */
  const held = new Map<string, { item: Item | undefined }>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function take(requestId: string): Item | undefined {
    const entry = held.get(requestId)
    if (entry === undefined) return undefined
    const { item } = entry
    held.delete(requestId)
    entry.item = undefined
    return item
  }

  function end(): void {
    clearTimeout(timer)
    timer = undefined
    for (const requestId of [...held.keys()]) {
      const item = take(requestId)
      if (item) enqueue(item)
    }
  }

  return {
    add(item: Item): void {
      held.set(item.requestId, { item })
      timer ??= setTimeout(end, batchWindowMs)
    },
    take,
    end,
  }
}
