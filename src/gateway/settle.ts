import type { Logger } from '../lib/log.ts'
import type { AccountFigures, RecordStore, Settlement } from '../store/ports/records.ts'

export interface Settler {
  /** Resolves when the settlement is committed; rejects when it is not stored. */
  settle(settlement: Settlement): Promise<void>
  /** Stores without anyone waiting (refused requests); a failure is logged. */
  record(settlement: Settlement): void
  /** Tries again until it is stored: what was delivered is charged, if late. */
  keep(settlement: Settlement): void
  /** Resolves when nothing waits to be stored any more. */
  idle(): Promise<void>
}

/** How often, and for how many at most, storing is tried again. */
const retryMs = 1_000
const maxKept = 100_000

/** The store as a whole fails (locked, full, read-only): none of a batch would do better alone. */
const isStoreFault = (error: unknown) => error instanceof Error && error.name === 'StoreError'

interface Waiting {
  readonly settlement: Settlement
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Stores settlements: those that are ready in the same turn of the event loop share one commit.
 * `onSettled` gets the new balances after each commit.
 */
export function createSettler(
  records: RecordStore,
  onSettled: (balances: readonly AccountFigures[]) => void,
  log: Logger,
): Settler {
  let waiting: Waiting[] = []
  let flushing: Promise<void> | undefined
  const kept = new Map<string, Settlement>()
  let retry: ReturnType<typeof setTimeout> | undefined

  async function storeKept(): Promise<void> {
    const batch = [...kept.values()]
    if (batch.length === 0) return
    try {
      // A request that is stored already is skipped by its id.
      onSettled((await records.commit({ settle: batch })).accounts)
      kept.clear()
      log.info('late requests stored', { count: batch.length })
    } catch (error) {
      log.warn('requests still not stored', { count: batch.length, error: String(error) })
    }
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
      const batch = waiting
      waiting = []
      try {
        onSettled((await records.commit({ settle: batch.map((one) => one.settlement) })).accounts)
        for (const one of batch) one.resolve()
      } catch (error) {
        if (batch.length > 1 && !isStoreFault(error)) await settleSingly(batch)
        else for (const one of batch) one.reject(error)
      }
    }
    flushing = undefined
  }

  /** One settlement that can't be stored must not take the others of its batch with it. */
  async function settleSingly(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) {
      try {
        onSettled((await records.commit({ settle: [one.settlement] })).accounts)
        one.resolve()
      } catch (error) {
        one.reject(error)
      }
    }
  }

  const settle = (settlement: Settlement): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ settlement, resolve, reject })
      flushing ??= new Promise((done) => setImmediate(() => done(flush())))
    })

  return {
    settle,
    record(settlement) {
      settle(settlement).catch((error: unknown) =>
        log.error('request record not stored', {
          request_id: settlement.request.requestId,
          error: String(error),
        }),
      )
    },
    keep(settlement) {
      if (kept.size < maxKept) kept.set(settlement.request.requestId, settlement)
      retryLater()
    },
    async idle() {
      while (flushing) await flushing
      clearTimeout(retry)
      await storeKept()
    },
  }
}
