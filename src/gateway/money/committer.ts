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
import { createRetryQueue, joined, mostTogether } from './retry-queue.ts'

export type Denial = MoneyLimit | 'busy' | undefined

/** Callbacks of a stored item: each is called once, and must not throw. */
export interface CommitListener {
  resolve(denial: Denial): void
  reject(error: unknown): void
}

export type Committer = ReturnType<typeof createCommitter>

/** The batch window of reservations. No byte goes to a client before it ends. */
const batchWindowMs = 50

const nothingChanged: Committed = { denied: new Map(), accounts: [], tokens: [] }

interface Waiting {
  readonly part: Batch
  readonly requestId: string
  readonly listener: CommitListener
  /** An answer goes out by it: if the store does not take it, the spool does. */
  readonly mayBeSpooled?: boolean
}

/** One commit per turn of the event loop. `onCommitted` gets new figures before waiters go on. */
export function createCommitter(
  records: RecordStore,
  onCommitted: (batch: Batch, committed: Committed) => void,
  log: Logger,
  spool?: Spool,
) {
  const waiting: Waiting[] = []
  let isFlushing = false
  const idleWaiters: (() => void)[] = []
  /** Entries are emptied when they leave: former tables of the map keep them, see `Roster`. */
  const batched = new Map<string, { one: Waiting | undefined }>()
  /** Requests whose reservation the store rejected. */
  const unreserved = new Set<string>()
  let batchTimer: ReturnType<typeof setTimeout> | undefined

  async function commit(batch: Batch): Promise<Committed> {
    const committed = await records.commit(batch)
    onCommitted(batch, committed)
    return committed
  }

  const kept = createRetryQueue(commit, log, spool)

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostTogether)
      try {
        const part = joined(batch)
        const committed = await records.commit(part)
        onCommitted(part, committed)
        const { denied } = committed
        for (const one of batch) one.listener.resolve(denied.get(one.requestId))
        if (unreserved.size > 0) for (const { requestId } of batch) unreserved.delete(requestId)
      } catch (error) {
        // When the store as a whole fails, retrying a batch in parts is useless.
        if (batch.length > 1 && !(error instanceof StoreError)) await commitSingly(batch)
        else await refuse(batch, error)
      }
    }
    isFlushing = false
    for (const go of idleWaiters.splice(0)) go()
  }

  /** An item that can't be stored must not block the others of its batch. */
  async function commitSingly(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) {
      try {
        const { denied } = await commit(one.part)
        one.listener.resolve(denied.get(one.requestId))
      } catch (error) {
        await refuse([one], error)
      }
    }
  }

  /** Charges continue once synced in the spool, and are stored later. */
  async function refuse(batch: readonly Waiting[], error: unknown): Promise<void> {
    for (const { part, requestId } of batch) if (part.reserve) unreserved.add(requestId)
    const spoolable = new Set(error instanceof StoreError ? batch.filter(mayBeSpooled) : [])
    const isSafe = await isSpooled([...spoolable])
    for (const one of batch) {
      if (!one.part.reserve) unreserved.delete(one.requestId)
      if (isSafe && spoolable.has(one)) {
        kept.keep(one.requestId, one.part)
        one.listener.resolve(undefined)
      } else one.listener.reject(error)
    }
  }

  const mayBeSpooled = (one: Waiting) => one.mayBeSpooled === true && !unreserved.has(one.requestId)

  async function isSpooled(spoolable: readonly Waiting[]): Promise<boolean> {
    if (spool === undefined || spoolable.length === 0) return false
    try {
      await spool.add(spoolable.flatMap(({ part }) => part.settle ?? []))
      return true
    } catch {
      return false // logged by the spool
    }
  }

  function start(): void {
    if (isFlushing) return
    isFlushing = true
    setImmediate(flush)
  }

  function add(requestId: string, part: Batch, mayBeSpooled = false): Promise<Denial> {
    const listener = Promise.withResolvers<Denial>()
    waiting.push({ part, requestId, listener, mayBeSpooled })
    start()
    return listener.promise
  }

  /** Ends the batch window of one reservation. */
  function takeBatched(requestId: string): Waiting | undefined {
    const entry = batched.get(requestId)
    if (entry === undefined) return undefined
    const { one } = entry
    batched.delete(requestId)
    entry.one = undefined
    return one
  }

  /** Removes an uncommitted reservation; true when there was one. */
  function withdraw(requestId: string): boolean {
    const one = takeBatched(requestId)
    one?.listener.resolve(undefined)
    return one !== undefined
  }

  function commitAllNow(): void {
    clearTimeout(batchTimer)
    batchTimer = undefined
    for (const requestId of [...batched.keys()]) {
      const one = takeBatched(requestId)
      if (one) waiting.push(one)
    }
    if (waiting.length > 0) start()
  }

  const settle = (settlement: Settlement): Promise<unknown> => {
    const { requestId } = settlement.request
    const isFirstWord = withdraw(requestId)
    return add(requestId, { settle: [settlement] }, !isFirstWord)
  }

  const notStored = (requestId: string) => (error: unknown) =>
    log.error('request record not stored', { request_id: requestId, error: String(error) })

  const addInBackground = (requestId: string, part: Batch): void => {
    add(requestId, part).catch((error: unknown) => {
      notStored(requestId)(error)
      if (error instanceof StoreError) kept.keep(requestId, part)
    })
  }

  return {
    /** Whether other nodes spend the same money: only what is committed counts. */
    isShared: records.isShared,
    /** Resolves when committed or spooled; else rejects. Spools only reserved requests. */
    settle,
    /** Stores in the background, and retries what the store can't take now. */
    record(settlement: Settlement): void {
      withdraw(settlement.request.requestId)
      addInBackground(settlement.request.requestId, { settle: [settlement] })
    },
    /** Retries until it is stored: what was delivered is charged, if late. */
    keep: (settlement: Settlement): void =>
      kept.keep(settlement.request.requestId, { settle: [settlement] }),
    /** Commits after the batch window, with the settlement, or at once in a shared store. */
    reserve(reservation: Reservation, listener: CommitListener): void {
      const { requestId } = reservation
      const one = { part: { reserve: [reservation] }, requestId, listener }
      if (records.isShared) {
        waiting.push(one)
        start()
        return
      }
      batched.set(requestId, { one })
      batchTimer ??= setTimeout(commitAllNow, batchWindowMs)
    },
    /** Commits this reservation now. */
    commitNow(requestId: string): void {
      const one = takeBatched(requestId)
      if (one === undefined) return
      waiting.push(one)
      start()
    },
    /** Ends the batch window of all waiting reservations. */
    commitAllNow,
    grow: (growth: Growth): Promise<Denial> => add(growth.requestId, { grow: [growth] }),
    /** Releases the reservation of a request that leaves no record, in the background. */
    release(requestId: string): void {
      const part = { release: [requestId] }
      if (withdraw(requestId)) onCommitted(part, nothingChanged)
      else addInBackground(requestId, part)
    },
    /** Whether items wait for a failing store, which is retried each second. */
    isBehind: (): boolean => kept.size() > 0,
    /** Resolves when everything is stored, or else in the spool. */
    async idle(): Promise<void> {
      commitAllNow()
      while (isFlushing) await new Promise<void>((resolve) => idleWaiters.push(resolve))
      await kept.lastTry()
    },
  }
}
