import type { Logger } from '../lib/log.ts'
import type {
  Batch,
  Committed,
  Growth,
  MoneyLimit,
  RecordStore,
  Reservation,
  Settlement,
} from '../store/ports/records.ts'
import { StoreError } from '../store/ports/store-error.ts'

/** What does not cover a reservation; undefined: it is covered. */
export type Denial = MoneyLimit | 'busy' | undefined

export interface Committer {
  /** Whether others spend from the same accounts: only what is committed counts (`RecordStore`). */
  readonly isShared: boolean
  /** Resolves when the settlement is committed; rejects when it is not stored. */
  settle(settlement: Settlement): Promise<unknown>
  /** Stores without anyone waiting; what the store can't take now it is asked to take later. */
  record(settlement: Settlement): void
  /** Tries again until it is stored: what was delivered is charged, if late. */
  keep(settlement: Settlement): void
  /**
   * Resolves when it is committed, to what does not cover it, if anything. That may wait some
   * milliseconds for company; a request that is settled before needs no reservation any more. Where the store is
   * shared it is committed at once, and a whole answer waits for it, too.
   */
  reserve(reservation: Reservation): Promise<Denial>
  /** Somebody waits for this reservation: commits it now. */
  hurry(requestId: string): void
  /** Commits all reservations that wait for company. */
  hurryAll(): void
  /** Like `reserve`, for more of it, and at once. */
  grow(growth: Growth): Promise<Denial>
  /** Frees what is set aside for a request that leaves no record, likewise. */
  release(requestId: string): void
  /** Whether something is kept that the store could not take: it is asked again each second. */
  isBehind(): boolean
  /** Resolves when nothing waits to be stored any more. */
  idle(): Promise<void>
}

/**
 * How long a reservation waits for others to be committed with. Nothing goes to a client before its
 * reservation, or its settlement, is stored; so all that a killed process loses by this is the trace of
 * requests that had just begun. Under load most whole answers are settled sooner.
 */
const companyMs = 50

const nothingChanged: Committed = { denied: new Map(), accounts: [], tokens: [] }

/** How often, and for how many at most that cost nothing, storing is tried again. */
const retryMs = 1_000
const maxKept = 100_000

/**
 * So much is committed together at most. What one commit takes grows faster than what is in it, and all
 * its accounts wait meanwhile: after a long absence of the store very many are kept.
 */
const mostTogether = 1_000

/** One thing to store: exactly one part of a batch, with one entry. */
interface Waiting {
  readonly part: Batch
  readonly requestId: string
  readonly resolve: (denial: Denial) => void
  readonly reject: (error: unknown) => void
}

/**
 * Stores what requests begin and end with: all that is ready in the same turn of the event loop
 * shares one commit. `onCommitted` gets what was stored and the new figures, before anyone who
 * waits goes on.
 */
export function createCommitter(
  records: RecordStore,
  onCommitted: (batch: Batch, committed: Committed) => void,
  log: Logger,
): Committer {
  const waiting: Waiting[] = []
  let flushing: Promise<void> | undefined
  const kept = new Map<string, Waiting>()
  const unhurried = new Map<string, Waiting>()
  let company: ReturnType<typeof setTimeout> | undefined
  let retry: ReturnType<typeof setTimeout> | undefined

  async function commit(batch: Batch): Promise<Committed> {
    const committed = await records.commit(batch)
    onCommitted(batch, committed)
    return committed
  }

  async function storeKept(): Promise<void> {
    const all = [...kept.values()]
    for (let from = 0; from < all.length; from += mostTogether) {
      const isWorking = await storeTogether(all.slice(from, from + mostTogether))
      if (!isWorking) return
    }
  }

  /** False when the store as a whole fails. */
  async function storeTogether(batch: readonly Waiting[]): Promise<boolean> {
    try {
      // A request that is stored already is skipped by its id.
      await commit(joined(batch))
      for (const one of batch) forget(one)
      log.info('late requests stored', { count: batch.length })
      return true
    } catch (error) {
      log.warn('requests still not stored', { count: batch.length, error: String(error) })
      return !(error instanceof StoreError) && storeKeptSingly(batch)
    }
  }

  /** One that can't ever be stored must not hold up the others. */
  async function storeKeptSingly(batch: readonly Waiting[]): Promise<boolean> {
    for (const one of batch) {
      try {
        await commit(one.part)
      } catch (error) {
        if (error instanceof StoreError) return false
        one.reject(error)
      }
      forget(one)
    }
    return true
  }

  /** Unless another part of the same request was kept meanwhile. */
  function forget(one: Waiting): void {
    if (kept.get(one.requestId) === one) kept.delete(one.requestId)
  }

  function retryLater(): void {
    retry ??= setTimeout(async () => {
      await storeKept()
      retry = undefined
      if (kept.size > 0) retryLater()
    }, retryMs)
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostTogether)
      try {
        const { denied } = await commit(joined(batch))
        for (const one of batch) one.resolve(denied.get(one.requestId))
      } catch (error) {
        // Where the store as a whole fails, none of a batch would do better alone.
        if (batch.length > 1 && !(error instanceof StoreError)) await commitSingly(batch)
        else for (const one of batch) one.reject(error)
      }
    }
    flushing = undefined
  }

  /** What can't be stored must not take the others of its batch with it. */
  async function commitSingly(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) {
      try {
        const { denied } = await commit(one.part)
        one.resolve(denied.get(one.requestId))
      } catch (error) {
        one.reject(error)
      }
    }
  }

  function start(): void {
    flushing ??= new Promise((done) => setImmediate(() => done(flush())))
  }

  const add = (requestId: string, part: Batch): Promise<Denial> =>
    new Promise((resolve, reject) => {
      waiting.push({ part, requestId, resolve, reject })
      start()
    })

  /** Takes back a reservation that was not committed yet; true when there was one. */
  function withdraw(requestId: string): boolean {
    const one = unhurried.get(requestId)
    unhurried.delete(requestId)
    one?.resolve(undefined)
    return one !== undefined
  }

  function hurryAll(): void {
    clearTimeout(company)
    company = undefined
    waiting.push(...unhurried.values())
    unhurried.clear()
    if (waiting.length > 0) start()
  }

  const settle = (settlement: Settlement): Promise<unknown> => {
    const { requestId } = settlement.request
    withdraw(requestId)
    return add(requestId, { settle: [settlement] })
  }

  const notStored = (requestId: string) => (error: unknown) =>
    log.error('request record not stored', { request_id: requestId, error: String(error) })

  /**
   * What was charged stays in any case. Of the rest only the oldest do, beyond the limit: a store that
   * fails for hours must not fill the memory with what it refused.
   */
  function keep(requestId: string, part: Batch): void {
    const waits = { part, requestId, resolve: () => {}, reject: notStored(requestId) }
    if (kept.size < maxKept || kept.has(requestId) || chargeOf(part) > 0) kept.set(requestId, waits)
    else notStored(requestId)('too many requests wait to be stored')
    retryLater()
  }

  const unattended = (requestId: string, part: Batch): void => {
    add(requestId, part).catch((error: unknown) => {
      notStored(requestId)(error)
      if (error instanceof StoreError) keep(requestId, part)
    })
  }

  const reserveInCompany = (reservation: Reservation): Promise<Denial> =>
    new Promise((resolve, reject) => {
      const { requestId } = reservation
      unhurried.set(requestId, { part: { reserve: [reservation] }, requestId, resolve, reject })
      company ??= setTimeout(hurryAll, companyMs)
    })

  return {
    isShared: records.isShared,
    settle,
    record(settlement) {
      withdraw(settlement.request.requestId)
      unattended(settlement.request.requestId, { settle: [settlement] })
    },
    keep: (settlement) => keep(settlement.request.requestId, { settle: [settlement] }),
    reserve: (reservation) =>
      records.isShared
        ? add(reservation.requestId, { reserve: [reservation] })
        : reserveInCompany(reservation),
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
    isBehind: () => kept.size > 0,
    async idle() {
      hurryAll()
      while (flushing) await flushing
      clearTimeout(retry)
      await storeKept()
      for (const { requestId, part } of kept.values()) {
        log.error('request not stored: it is lost if the process ends now', {
          request_id: requestId,
          amount_nano: chargeOf(part),
        })
      }
    },
  }
}

/** In nano-USD. */
const chargeOf = ({ settle }: Batch): number => settle?.[0]?.request.amountNano ?? 0

/** The parts as one batch. */
function joined(batch: readonly Waiting[]): Batch {
  const settle = []
  const release = []
  const reserve = []
  const grow = []
  for (const { part } of batch) {
    if (part.settle) settle.push(...part.settle)
    else if (part.reserve) reserve.push(...part.reserve)
    else if (part.grow) grow.push(...part.grow)
    else if (part.release) release.push(...part.release)
  }
  return { settle, release, reserve, grow }
}
