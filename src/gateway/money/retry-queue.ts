import type { LeaseWish } from '../../leases/messages.ts'
import type { Logger } from '../../lib/log.ts'
import type { Batch, Growth, Reservation, Settlement, Spool } from '../../store/ports/records.ts'
import { StoreError } from '../../store/ports/store-error.ts'

interface One {
  readonly requestId: string
  readonly part: Batch
}

/** The retry interval, and the bound for items that carry no money. */
const retryMs = 1_000
const maxKept = 100_000

/** The largest batch: all accounts wait for a commit. */
export const mostTogether = 1_000

/** Keeps items in memory to store later; money is also in the spool, if there is one. */
export function createRetryQueue(
  commit: (batch: Batch) => Promise<unknown>,
  log: Logger,
  spool: Spool | undefined,
) {
  const kept = new Map<string, One>()
  let retry: ReturnType<typeof setTimeout> | undefined

  async function storeAll(): Promise<void> {
    const all = [...kept.values()]
    for (let from = 0; from < all.length; from += mostTogether) {
      const isWorking = await storeTogether(all.slice(from, from + mostTogether))
      if (!isWorking) return await spoolRest(({ part }) => carriesMoney(part))
    }
  }

  /** Items that the spool did not take before, or was not given. */
  async function spoolRest(isWanted: (one: One) => boolean): Promise<void> {
    const wanted = [...kept.values()].filter(isWanted)
    // The spool logs its failure and is retried each second.
    await spool?.add(wanted.flatMap(({ part }) => part.settle ?? [])).catch(() => {})
  }

  async function storeTogether(batch: readonly One[]): Promise<boolean> {
    try {
      // A request that is stored already is skipped by its id.
      await commit(joined(batch))
      forget(batch)
      log.info('late requests stored', { count: batch.length })
      return true
    } catch (error) {
      log.warn('requests still not stored', { count: batch.length, error: String(error) })
      return !(error instanceof StoreError) && storeSingly(batch)
    }
  }

  /** An item that can never be stored must not block the others. */
  async function storeSingly(batch: readonly One[]): Promise<boolean> {
    for (const one of batch) {
      try {
        await commit(one.part)
        forget([one])
      } catch (error) {
        if (error instanceof StoreError) return false
        notStored(one.requestId, error)
        await giveUp(one, error)
      }
    }
    return true
  }

  /** A charge that is given up leaves a trace: where that can't be stored it stays in the spool. */
  async function giveUp(one: One, cause: unknown): Promise<void> {
    try {
      for (const settlement of carriesMoney(one.part) ? (one.part.settle ?? []) : [])
        await spool?.quarantine(settlement, String(cause))
      forget([one])
    } catch (error) {
      log.error('rejected charge not kept in the spool', {
        ...{ request_id: one.requestId, error: String(error) },
      })
      kept.delete(one.requestId)
    }
  }

  /** Unless another part of the same request was kept meanwhile. */
  function forget(batch: readonly One[]): void {
    const gone = batch.filter((one) => kept.get(one.requestId) === one)
    for (const { requestId } of gone) kept.delete(requestId)
    spool?.stored(gone.map(({ requestId }) => requestId))
  }

  function retryLater(): void {
    retry ??= setTimeout(async () => {
      await storeAll()
      retry = undefined
      if (kept.size > 0) retryLater()
    }, retryMs)
  }

  const notStored = (requestId: string, error: unknown) =>
    log.error('request record not stored', { request_id: requestId, error: String(error) })

  return {
    /** Money is always kept; of the rest the oldest, up to the limit. */
    keep(requestId: string, part: Batch): void {
      if (kept.size < maxKept || kept.has(requestId) || carriesMoney(part))
        kept.set(requestId, { requestId, part })
      else notStored(requestId, 'too many requests wait to be stored')
      retryLater()
    },
    size: (): number => kept.size,
    /** Tries once more. What is not stored is spooled; what is not even spooled is logged. */
    async lastTry(): Promise<void> {
      clearTimeout(retry)
      await storeAll()
      await spoolRest(() => true)
      const spooled = [...kept.keys()].filter((id) => spool?.has(id)).length
      if (spooled > 0)
        log.warn('requests wait in the spool: the next start stores them', { spooled })
      for (const { requestId, part } of kept.values()) {
        if (spool?.has(requestId)) continue
        log.error('request not stored: it is lost if the process ends now', {
          request_id: requestId,
          amount_nano: chargeOf(part),
        })
      }
    },
  }
}

const chargeOf = ({ settle }: Batch): number => settle?.[0]?.request.amountNano ?? 0

const carriesMoney = (part: Batch): boolean =>
  chargeOf(part) > 0 || part.settle?.[0]?.begun !== undefined

export function joined(
  items: readonly Pick<One, 'part'>[],
  leases: readonly LeaseWish[] = [],
): Batch {
  const settle: Settlement[] = []
  const release: string[] = []
  const reserve: Reservation[] = []
  const grow: Growth[] = []
  for (const { part } of items) {
    if (part.settle) append(settle, part.settle)
    else if (part.reserve) append(reserve, part.reserve)
    else if (part.grow) append(grow, part.grow)
    else if (part.release) append(release, part.release)
  }
  return leases.length > 0
    ? { settle, release, leases, reserve, grow }
    : { settle, release, reserve, grow }
}

function append<Item>(to: Item[], items: readonly Item[]): void {
  for (const item of items) to.push(item)
}
