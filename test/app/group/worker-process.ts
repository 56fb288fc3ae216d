import { createCommitter } from '../../../src/gateway/money/committer.ts'
import { createRequestId } from '../../../src/lib/ids.ts'
import { reservation } from '../../store/sqlite/file-store.ts'
import { now, settlement } from '../../store/support.ts'
import { openTestWorker, silentLog } from '../../support/keeper-link.ts'

/**
 * A worker that reserves and settles as fast as it can, until it is killed. Writes the id and the cost of each
 * request whose end it was told is stored.
 */
const [address = '', index = '0'] = process.argv.slice(2)
const keeper = await openTestWorker(`\0${address}`, { index: Number(index), pid: process.pid })
const committer = createCommitter(keeper.store.records, () => {}, silentLog, keeper.spool)

async function request(at: number): Promise<void> {
  const requestId = createRequestId()
  const stored = Promise.withResolvers<unknown>()
  committer.reserve(reservation({ requestId, createdAt: now, amountNano: 1_000 }), stored)
  if ((await stored.promise) !== undefined) throw new Error('It was denied.')
  const amountNano = 1 + (at % 900)
  await committer.settle(settlement({ requestId, amountNano }))
  await Bun.write(Bun.stdout, `${requestId} ${amountNano}\n`)
}

async function loop(): Promise<void> {
  for (let at = 0; ; at++) await request(at).catch(() => Bun.sleep(1))
}

await Promise.all(Array.from({ length: 16 }, loop))
