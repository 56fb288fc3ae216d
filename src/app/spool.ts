import { createRetryQueue } from '../gateway/money/retry-queue.ts'
import { counted } from '../lib/format.ts'
import type { Logger } from '../lib/log.ts'
import type { RecordStore } from '../store/ports/records.ts'
import { countWaiting } from '../store/spool/files.ts'
import { type OpenSpool, openSpool } from '../store/spool/spool.ts'
import type { StoreConfig } from './config/config.ts'
import { describeStore } from './store-place.ts'
import { UserError } from './user-error.ts'

/** Opens the spool of a node. One that can't be written does not prevent serving. */
export async function openSpoolOf(
  { spool: folder }: StoreConfig,
  origin: string,
  log: Logger,
): Promise<OpenSpool | undefined> {
  if (folder == null) return undefined
  try {
    return await openSpool(folder, origin, log)
  } catch (error) {
    log.warn(
      `The spool ${folder} can not be written: while the database does not answer, neither will the ` +
        'gateway. Make the folder writable for this user, or name another one (server.spool).',
      { error: String(error) },
    )
    return missing
  }
}

const none = () => Promise.reject(new Error('the folder of the spool cannot be written'))

const missing: OpenSpool = {
  ...{ found: [], setOrigin() {}, add: none, has: () => false, stored() {}, quarantine: none },
  ...{ count: () => 0, hasFailed: () => true, remark: () => 'missing', close: async () => {} },
}

/** Allowed difference of two nodes' clocks: one may create a key that another uses. */
const skewMs = 60_000

/** Stores what a spool holds. Throws `UserError` when the database does not accept it. */
export async function replay(
  {
    spool,
    records,
    store,
  }: {
    readonly spool: OpenSpool
    readonly records: Pick<RecordStore, 'commit' | 'tokenOrigin'>
    readonly store: StoreConfig
  },
  log: Logger,
): Promise<void> {
  if (spool.found.length === 0) return
  const kept = createRetryQueue(records.commit, log, spool)
  const tokens = new Map<number, ReturnType<RecordStore['tokenOrigin']>>()
  for (const { settlement } of spool.found) {
    const { requestId, tokenId, accountId, createdAt } = settlement.request
    const token = await tokens.getOrInsertComputed(tokenId, records.tokenOrigin)
    if (token?.accountId === accountId && token.createdAt <= createdAt + skewMs) {
      // The leases that covered it ended with its process.
      const { leasedNano: _, budgetLeasedNano: __, ...unleased } = settlement
      kept.keep(requestId, { settle: [unleased] })
      continue
    }
    // After a restored backup, ids may have been given again.
    await spool.quarantine(settlement, 'Its key is not there, or was made after it.')
    spool.stored([requestId])
    log.error('a settlement in the spool is of a key that is not there: it is set aside', {
      request_id: requestId,
    })
  }
  await kept.lastTry()
  if (kept.size() === 0) return
  throw new UserError(
    `${counted(kept.size(), 'settlement')} in the spool ${store.spool} could not be stored in the ` +
      `database ${describeStore(store)}: see the log. Nothing is lost; start again when it takes them.`,
  )
}

/** What commands on the data report of a spool; undefined: it is empty. */
export function describeWaiting({ spool }: StoreConfig): string | undefined {
  const count = spool == null ? 0 : countWaiting(spool)
  if (!count) return undefined
  return (
    `${counted(count, 'settlement')} ${count === 1 ? 'waits' : 'wait'} in the spool ${spool}, and ` +
    'not in the database: a gateway stores them as soon as it can. If none serves, start it once.'
  )
}
