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
import { createKept, joined, mostTogether } from './kept.ts'

export type Denial = MoneyLimit | 'busy' | undefined

/** Callbacks of a stored item: each is called once, and must not throw. */
export interface Asker {
  resolve(denial: Denial): void
  reject(error: unknown): void
}

export type Committer = ReturnType<typeof createCommitter>

/**
 * The batch window of reservations. No byte goes to a client before; most whole answers are settled
 * sooner.
 */
const batchWindowMs = 50

const nothingChanged: Committed = { denied: new Map(), accounts: [], tokens: [] }

interface Waiting {
  readonly part: Batch
  readonly requestId: string
  readonly asker: Asker
  /** An answer goes out by it: if the store does not take it, the spool does. */
  readonly mayBeSpooled?: boolean
}

/**
 * One commit for all that is ready in one turn of the event loop. `onCommitted` gets the new
 * figures before the waiters continue. Money that is not stored is in `spool`.
 */
export function createCommitter(
  records: RecordStore,
  onCommitted: (batch: Batch, committed: Committed) => void,
  log: Logger,
  spool?: Spool,
) {
  const waiting: Waiting[] = []
  let isFlushing = false
  const idlers: (() => void)[] = []
  /** Entries are emptied when they leave: former tables of the map keep them, see `Roster`. */
  const unhurried = new Map<string, { one: Waiting | undefined }>()
  /** Requests whose reservation the store rejected. */
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
        for (const one of batch) one.asker.resolve(denied.get(one.requestId))
        if (unreserved.size > 0) for (const { requestId } of batch) unreserved.delete(requestId)
      } catch (error) {
        // When the store as a whole fails, retrying a batch in parts is useless.
        if (batch.length > 1 && !(error instanceof StoreError)) await commitSingly(batch)
        else await refuse(batch, error)
      }
    }
    isFlushing = false
    for (const go of idlers.splice(0)) go()
  }

  /** An item that can't be stored must not block the others of its batch. */
  async function commitSingly(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) {
      try {
        const { denied } = await commit(one.part)
        one.asker.resolve(denied.get(one.requestId))
      } catch (error) {
        await refuse([one], error)
      }
    }
  }

  /** Charges continue once synced in the spool, and are stored later. */
  async function refuse(batch: readonly Waiting[], error: unknown): Promise<void> {
    for (const { part, requestId } of batch) if (part.reserve) unreserved.add(requestId)
    const owed = new Set(error instanceof StoreError ? batch.filter(mayBeSpooled) : [])
    const isSafe = await isSpooled([...owed])
    for (const one of batch) {
      if (!one.part.reserve) unreserved.delete(one.requestId)
      if (isSafe && owed.has(one)) {
        kept.keep(one.requestId, one.part)
        one.asker.resolve(undefined)
      } else one.asker.reject(error)
    }
  }

  const mayBeSpooled = (one: Waiting) => one.mayBeSpooled === true && !unreserved.has(one.requestId)

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

  function add(requestId: string, part: Batch, mayBeSpooled = false): Promise<Denial> {
    const asker = Promise.withResolvers<Denial>()
    waiting.push({ part, requestId, asker, mayBeSpooled })
    start()
    return asker.promise
  }

  /** Ends the batch window of one reservation. */
  function takeUnhurried(requestId: string): Waiting | undefined {
    const entry = unhurried.get(requestId)
    if (entry === undefined) return undefined
    const { one } = entry
    unhurried.delete(requestId)
    entry.one = undefined
    return one
  }

  /** Removes an uncommitted reservation; true when there was one. */
  function withdraw(requestId: string): boolean {
    const one = takeUnhurried(requestId)
    one?.asker.resolve(undefined)
    return one !== undefined
  }

  function hurryAll(): void {
    clearTimeout(batchTimer)
    batchTimer = undefined
    for (const requestId of [...unhurried.keys()]) {
      const one = takeUnhurried(requestId)
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

  const unattended = (requestId: string, part: Batch): void => {
    add(requestId, part).catch((error: unknown) => {
      notStored(requestId)(error)
      if (error instanceof StoreError) kept.keep(requestId, part)
    })
  }

  return {
    /**
     * Whether other nodes spend from the same accounts: only what is committed counts
     * (`RecordStore`).
     */
    isShared: records.isShared,
    /**
     * Resolves when committed or synced in the spool; else rejects. What was never reserved in the
     * store is not spooled.
     */
    settle,
    /** Stores in the background, and retries what the store can't take now. */
    record(settlement: Settlement): void {
      withdraw(settlement.request.requestId)
      unattended(settlement.request.requestId, { settle: [settlement] })
    },
    /** Retries until it is stored: what was delivered is charged, if late. */
    keep: (settlement: Settlement): void =>
      kept.keep(settlement.request.requestId, { settle: [settlement] }),
    /**
     * Commits after the batch window, at once where the store is shared, or with the request's
     * settlement.
     */
    reserve(reservation: Reservation, asker: Asker): void {
      const { requestId } = reservation
      const one = { part: { reserve: [reservation] }, requestId, asker }
      if (records.isShared) {
        waiting.push(one)
        start()
        return
      }
      unhurried.set(requestId, { one })
      batchTimer ??= setTimeout(hurryAll, batchWindowMs)
    },
    /** Commits this reservation now. */
    hurry(requestId: string): void {
      const one = takeUnhurried(requestId)
      if (one === undefined) return
      waiting.push(one)
      start()
    },
    /** Ends the batch window of all waiting reservations. */
    hurryAll,
    grow: (growth: Growth): Promise<Denial> => add(growth.requestId, { grow: [growth] }),
    /** Releases the reservation of a request that leaves no record, in the background. */
    release(requestId: string): void {
      const part = { release: [requestId] }
      if (withdraw(requestId)) onCommitted(part, nothingChanged)
      else unattended(requestId, part)
    },
    /** Whether items wait for a failing store, which is retried each second. */
    isBehind: (): boolean => kept.size() > 0,
    /** Resolves when everything is stored, or else in the spool. */
    async idle(): Promise<void> {
      hurryAll()
      while (isFlushing) await new Promise<void>((resolve) => idlers.push(resolve))
      await kept.lastTry()
    },
  }
}
