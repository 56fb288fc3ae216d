import type { LeaseWish } from '../../leases/messages.ts'
import type { Logger } from '../../lib/log.ts'
import type {
  Batch,
  Committed,
  Growth,
  RecordStore,
  Reservation,
  Settlement,
  Spool,
} from '../../store/ports/records.ts'
import { StoreError } from '../../store/ports/store-error.ts'
import { createBatchWindow } from './batch-window.ts'
import type { CommitListener, Denial, Item } from './commit-item.ts'
import type { Leases } from './leases.ts'
import { createPace, type Pace } from './pace.ts'
import { createRetryQueue, joined, mostTogether } from './retry-queue.ts'
import { createSecondTries } from './second-tries.ts'

export type Committer = ReturnType<typeof createCommitter>

const noWishes: readonly LeaseWish[] = []

const nothingChanged: Committed = { denied: new Map(), accounts: [], tokens: [] }

/** Of a reservation that a lease covers: its row may come late, or never. */
const covered: CommitListener = { resolve() {}, reject() {} }

/** What a batch carries of leases. */
type BatchLeases = Pick<Leases, 'hasWishes' | 'wishes' | 'failed' | 'leased' | 'returnAll'>

/** One commit per turn of the event loop. `onCommitted` gets new figures before waiters go on. */
export function createCommitter(
  records: Pick<RecordStore, 'isShared' | 'spacingMs' | 'commit'>,
  onCommitted: (batch: Batch, committed: Committed) => void,
  log: Logger,
  spool?: Spool,
  leases?: BatchLeases,
) {
  const queue: Item[] = []
  const pace = records.spacingMs ? createPace(records.spacingMs) : undefined
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
      if (pace) await gather(pace)
      isWishing = false
      const items = queue.splice(0, mostTogether)
      const wishes = leases?.hasWishes() ? leases.wishes() : noWishes
      try {
        const batch = { ...joined(items, wishes), isAlone: !records.isShared }
        const committed = await records.commit(batch)
        const denied = secondTries.of(items, committed)
        onCommitted(batch, { ...committed, denied })
        for (const item of items)
          if (!secondTries.isWaiting(item)) item.listener.resolve(denied.get(item.requestId))
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

  /** Lets more come together, where that pays. */
  async function gather(pace: Pace): Promise<void> {
    const restMs = pace.restMs(performance.now())
    if (restMs > 0) await Bun.sleep(restMs)
    pace.began(performance.now(), queue.length)
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
  const secondTries = createSecondTries(enqueue)

  function add(requestId: string, part: Batch, spoolable = false): Promise<Denial> {
    const listener = Promise.withResolvers<Denial>()
    enqueue({ requestId, part, listener, isSpoolable: spoolable })
    return listener.promise
  }

  /** Removes an uncommitted reservation; true when there was one. */
  function withdraw(requestId: string): boolean {
    const item = batchWindow.take(requestId) ?? secondTries.take(requestId)
    item?.listener.resolve(item.part.grow ? 'balance' : undefined)
    return item?.part.reserve !== undefined
  }

  function settledPart(settlement: Settlement): Batch {
    const neverReserved = withdraw(settlement.request.requestId)
    const leased = leasedPart(settlement)
    return { settle: [neverReserved ? { ...leased, neverReserved } : leased] }
  }

  const leasedPart = (settlement: Settlement): Settlement =>
    leases?.leased(settlement) ?? settlement

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
      secondTries.end()
      await flushed()
      leases?.returnAll()
      await flushed()
      await retries.lastTry()
    },
  }
}
