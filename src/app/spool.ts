import { createKept } from '../gateway/kept.ts'
import { counted } from '../lib/format.ts'
import type { Logger } from '../lib/log.ts'
import type { RecordStore } from '../store/ports/records.ts'
import { countWaiting } from '../store/spool/folder.ts'
import { type OpenSpool, openSpool } from '../store/spool/spool.ts'
import type { StoreConfig } from './config/config.ts'
import { UserError } from './instance.ts'
import { describeStore } from './store-place.ts'

/**
 * Opens the spool of a node; undefined: it is to have none. One that can't be written keeps nobody from
 * serving: while the database works nothing needs it, and while it does not, answers end with an error.
 */
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

const none = () => Promise.reject(new Error('the folder of the spool can not be written'))

const missing: OpenSpool = {
  ...{ found: [], setOrigin() {}, add: none, has: () => false, stored() {}, setAside: none },
  ...{ count: () => 0, hasFailed: () => true, remark: () => 'missing', close: async () => {} },
}

/**
 * Stores what waits in a spool from before. Throws `UserError` when the database does not take it: it
 * waits on, and nobody is served who may have spent it already.
 */
export async function replay(
  {
    spool,
    records,
    store,
  }: {
    readonly spool: OpenSpool
    readonly records: Pick<RecordStore, 'commit'>
    readonly store: StoreConfig
  },
  log: Logger,
): Promise<void> {
  if (spool.found.length === 0) return
  const kept = createKept(records.commit, log, spool)
  for (const { settlement } of spool.found)
    kept.keep(settlement.request.requestId, { settle: [settlement] })
  await kept.lastTry()
  if (kept.size() === 0) return
  throw new UserError(
    `${counted(kept.size(), 'settlement')} in the spool ${store.spool} could not be stored in the ` +
      `database ${describeStore(store)}: see the log. Nothing is lost; start again when it takes them.`,
  )
}

/** What commands on the data tell of a spool; undefined: nothing waits in it. */
export function describeWaiting({ spool }: StoreConfig): string | undefined {
  const count = spool == null ? 0 : countWaiting(spool)
  if (!count) return undefined
  return (
    `${counted(count, 'settlement')} ${count === 1 ? 'waits' : 'wait'} in the spool ${spool}, and ` +
    'not in the database: a gateway stores them as soon as it can. If none serves, start it once.'
  )
}
