import type { Logger } from '../../lib/log.ts'
import type {
  Batch,
  Committed,
  Growth,
  MoneyLimit,
  RecordStore,
  Reservation,
  Settlement,
} from '../../store/ports/records.ts'
import type { Spool } from '../../store/ports/spool.ts'
import { StoreError } from '../../store/ports/store-error.ts'
import { createKept, joined, mostTogether } from './kept.ts'

/** What does not cover a reservation; undefined: it is covered. */
export type Denial = MoneyLimit | 'busy' | undefined

export interface Committer {
  /** Whether others spend from the same accounts: only what is committed counts (`RecordStore`). */
  readonly isShared: boolean
  /**
   * Resolves when the settlement is committed, or synced in the spool until it is; rejects when it is
   * neither. Where nothing was set aside in the store before, there is no spool for it: who begins while
   * the store takes nothing is refused.
   */
  settle(settlement: Settlement): Promise<unknown>
  /** Stores without anyone waiting; what the store can't take now it is asked to take later. */
  record(settlement: Settlement): void
  /** Tries again until it is stored: what was delivered is charged, if late. */
  keep(settlement: Settlement): void
  /**
   * Resolves when it is committed, to what does not cover it, if anything. That may wait for a batch
   * window of some milliseconds; a request that is settled before needs no reservation any more. Where the store is
   * shared it is committed at once, and a whole answer waits for it, too.
   */
  reserve(reservation: Reservation): Promise<Denial>
  /** Somebody waits for this reservation: commits it now. */
  hurry(requestId: string): void
  /** Ends the batch window of all reservations that wait. */
  hurryAll(): void
  /** Like `reserve`, for more of it, and at once. */
  grow(growth: Growth): Promise<Denial>
  /** Frees what is set aside for a request that leaves no record, likewise. */
  release(requestId: string): void
  /** Whether something is kept that the store could not take: it is asked again each second. */
  isBehind(): boolean
  /** Resolves when nothing waits to be stored any more, or else in the spool. */
  idle(): Promise<void>
}

/**
 * How long a reservation waits for others to be committed with. Nothing goes to a client before its
 * reservation, or its settlement, is stored; so all that a killed process loses by this is the trace of
 * requests that had just begun. Under load most whole answers are settled sooner.
 */
const batchWindowMs = 50

const nothingChanged: Committed = { denied: new Map(), accounts: [], tokens: [] }

/** One thing to store: exactly one part of a batch, with one entry. */
interface Waiting {
  readonly part: Batch
  readonly requestId: string
  readonly resolve: (denial: Denial) => void
  readonly reject: (error: unknown) => void
  /** An answer goes out by it: if the store does not take it, the spool does. */
  readonly isOwed?: boolean
}

/**
 * Stores what requests begin and end with: all that is ready in the same turn of the event loop
 * shares one commit. `onCommitted` gets what was stored and the new figures, before anyone who
 * waits goes on. What carries money and is not stored is in `spool` until it is; without one it is in
 * memory.
 */
export function createCommitter(
  records: RecordStore,
  onCommitted: (batch: Batch, committed: Committed) => void,
  log: Logger,
  spool?: Spool,
): Committer {
  const waiting: Waiting[] = []
  let isFlushing = false
  /** Called when nothing waits to be stored any more. */
  const idlers: (() => void)[] = []
  const unhurried = new Map<string, Waiting>()
  /** Requests under way for which the store has set nothing aside: it failed when it was asked to. */
  const unreserved = new Set<string>()
  let batchTimer: ReturnType<typeof setTimeout> | undefined

  async function commit(batch: Batch): Promise<Committed> {
    const committed = await records.commit(batch)
    onCommitted(batch, committed)
    return committed
  }

  const kept = createKept(commit, log, spool)

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostTogether)
      try {
        const part = joined(batch)
        const committed = await records.commit(part)
        onCommitted(part, committed)
        const { denied } = committed
        for (const one of batch) one.resolve(denied.get(one.requestId))
        if (unreserved.size > 0) for (const { requestId } of batch) unreserved.delete(requestId)
      } catch (error) {
        // Where the store as a whole fails, none of a batch would do better alone.
        if (batch.length > 1 && !(error instanceof StoreError)) await commitSingly(batch)
        else await refuse(batch, error)
      }
    }
    isFlushing = false
    for (const go of idlers.splice(0)) go()
  }

  /** What can't be stored must not take the others of its batch with it. */
  async function commitSingly(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) {
      try {
        const { denied } = await commit(one.part)
        one.resolve(denied.get(one.requestId))
      } catch (error) {
        await refuse([one], error)
      }
    }
  }

  /** What is owed goes on as soon as it is synced in the spool, and is stored later. */
  async function refuse(batch: readonly Waiting[], error: unknown): Promise<void> {
    for (const { part, requestId } of batch) if (part.reserve) unreserved.add(requestId)
    const owed = new Set(error instanceof StoreError ? batch.filter(isOwed) : [])
    const isSafe = await isSpooled([...owed])
    for (const one of batch) {
      if (!one.part.reserve) unreserved.delete(one.requestId)
      if (isSafe && owed.has(one)) {
        kept.keep(one.requestId, one.part)
        one.resolve(undefined)
      } else one.reject(error)
    }
  }

  const isOwed = (one: Waiting) => one.isOwed === true && !unreserved.has(one.requestId)

  async function isSpooled(owed: readonly Waiting[]): Promise<boolean> {
    if (spool === undefined || owed.length === 0) return false
    try {
      await spool.add(owed.flatMap(({ part }) => part.settle ?? []))
      return true
    } catch {
      return false // told by the spool
    }
  }

  function start(): void {
    if (isFlushing) return
    isFlushing = true
    setImmediate(flush)
  }

  function add(requestId: string, part: Batch, isOwed = false): Promise<Denial> {
    const { promise, resolve, reject } = Promise.withResolvers<Denial>()
    waiting.push({ part, requestId, resolve, reject, isOwed })
    start()
    return promise
  }

  /** Takes back a reservation that was not committed yet; true when there was one. */
  function withdraw(requestId: string): boolean {
    const one = unhurried.get(requestId)
    unhurried.delete(requestId)
    one?.resolve(undefined)
    return one !== undefined
  }

  function hurryAll(): void {
    clearTimeout(batchTimer)
    batchTimer = undefined
    waiting.push(...unhurried.values())
    unhurried.clear()
    if (waiting.length > 0) start()
  }

  const settle = (settlement: Settlement): Promise<unknown> => {
    const { requestId } = settlement.request
    const isFirstWord = withdraw(requestId)
    return add(requestId, { settle: [settlement] }, !isFirstWord)
  }

  const notStored = (requestId: string) => (error: unknown) =>
    log.error('request record not stored', { request_id: requestId, error: String(error) })

  const unattended = (requestId: string, part: Batch): void => {
    add(requestId, part).catch((error: unknown) => {
      notStored(requestId)(error)
      if (error instanceof StoreError) kept.keep(requestId, part)
    })
  }

  /** Waits for others to be committed with. */
  function reserveLater(reservation: Reservation): Promise<Denial> {
    const { promise, resolve, reject } = Promise.withResolvers<Denial>()
    const { requestId } = reservation
    unhurried.set(requestId, { part: { reserve: [reservation] }, requestId, resolve, reject })
    batchTimer ??= setTimeout(hurryAll, batchWindowMs)
    return promise
  }

  return {
    isShared: records.isShared,
    settle,
    record(settlement) {
      withdraw(settlement.request.requestId)
      unattended(settlement.request.requestId, { settle: [settlement] })
    },
    keep: (settlement) => kept.keep(settlement.request.requestId, { settle: [settlement] }),
    reserve: (reservation) =>
      records.isShared
        ? add(reservation.requestId, { reserve: [reservation] })
        : reserveLater(reservation),
    hurry(requestId) {
      const one = unhurried.get(requestId)
      if (one === undefined) return
      unhurried.delete(requestId)
      waiting.push(one)
      start()
    },
    hurryAll,
    grow: (growth) => add(growth.requestId, { grow: [growth] }),
    release(requestId) {
      const part = { release: [requestId] }
      if (withdraw(requestId)) onCommitted(part, nothingChanged)
      else unattended(requestId, part)
    },
    isBehind: () => kept.size() > 0,
    async idle() {
      hurryAll()
      while (isFlushing) await new Promise<void>((resolve) => idlers.push(resolve))
      await kept.lastTry()
    },
  }
}
