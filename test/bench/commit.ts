import { readdirSync, readFileSync } from 'node:fs'
import { createRequestId } from '../../src/lib/ids.ts'
import type { Batch } from '../../src/store/ports/records.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { reservation } from '../store/sqlite/file-store.ts'
import { attemptRow, seed, settlement } from '../store/support.ts'
import { ask, startPostgres } from '../support/postgres.ts'

/**
 * What a request costs PostgreSQL, by size of the batches: µs of CPU of all its processes, and the time
 * of a commit. One node, one account. Without the network, the gateway and the load.
 *
 *   bun test/bench/commit.ts [seconds of a measurement] [sizes of batches]
 */
const [secondsText = '3', sizesText = '1,8,32,64,256'] = process.argv.slice(2)
const seconds = Number(secondsText)

await using postgres = await startPostgres()
const url = postgres.url('postgres')
const store = await openPostgresStore({ url, clock: Date.now })
await seed(store)
const nodeId = await store.nodes.register({ name: 'bench', version: '1' })
const beating = setInterval(() => store.nodes.heartbeat(nodeId, {}).catch(() => {}), 5_000)
await store.admin.adjust({
  ...{ account: 'ann@example.com', kind: 'credit', amountNano: 1e15, reason: 'bench' },
  ...{ idempotencyKey: null, actor: 'bench' },
})
const [row] = await ask<{ pid: number }>(
  url,
  "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
)
const parentOf = (pid: number) =>
  Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) . /s, '')
      .split(' ')[0],
  )
const postmaster = parentOf(row?.pid ?? 0)

/** In nanoseconds, of all that live: of processes that end between two readings it is lost. */
function cpuNano(): number {
  let sum = 0
  for (const pid of readdirSync('/proc').map(Number)) {
    try {
      if (pid > 0 && (pid === postmaster || parentOf(pid) === postmaster))
        sum += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // It has ended meanwhile.
    }
  }
  return sum
}

const usageRaw =
  '{"prompt_tokens":16,"completion_tokens":20,"total_tokens":36,"prompt_tokens_details":{"cached_tokens":3}}'
const ids = (size: number) => Array.from({ length: size }, createRequestId)
const settled = (requestId: string, more = {}) => ({
  ...settlement({ requestId, createdAt: Date.now(), usageRaw, amountNano: leasedNano }, [
    attemptRow({ startedAt: Date.now(), usageRaw, upstreamRequestId: crypto.randomUUID() }),
  ]),
  ...more,
})
const reserved = (requestId: string) =>
  reservation({ requestId, createdAt: Date.now(), amountNano: 5_000_000 })

let wishes = 0
let begun: readonly string[] = []
const leasedNano = 1_234_567
const commit = (batch: Batch) => store.records.commit(batch)
const ways: Record<string, (size: number) => Promise<void>> = {
  /** As where nothing is leased. */
  async 'reserve, then settle'(size) {
    const all = ids(size)
    await commit({ reserve: all.map(reserved) })
    await commit({ settle: all.map((id) => settled(id)) })
  },
  /** Requests that are settled within the batch window. */
  async 'short, under a lease'(size) {
    await commit({
      settle: ids(size).map((id) => settled(id, { neverReserved: true, leasedNano })),
      leases: [{ purse: 1, no: ++wishes, byNano: leasedNano * size }],
    })
  },
  /** Others: each batch settles those that the one before has begun. */
  async 'long, under a lease'(size) {
    const ended = begun
    begun = ids(size)
    await commit({
      settle: ended.map((id) => settled(id, { leasedNano })),
      reserve: begun.map((id) => ({ ...reserved(id), amountNano: 0 })),
      leases: [{ purse: 1, no: ++wishes, byNano: leasedNano * size }],
    })
  },
}

async function run(way: (size: number) => Promise<void>, size: number, forMs: number) {
  const start = performance.now()
  let [batches, cpu] = [0, cpuNano()]
  while (performance.now() - start < forMs) {
    await way(size)
    batches++
  }
  const ms = performance.now() - start
  return { batches, ms, micros: (cpuNano() - cpu) / 1000 }
}

for (const [name, way] of Object.entries(ways)) {
  for (const size of sizesText.split(',').map(Number)) {
    await run(way, size, 500) // warm
    const { batches, ms, micros } = await run(way, size, seconds * 1000)
    const per = batches * size
    console.log(
      `${name.padEnd(22)} batch ${String(size).padStart(4)}: ${(micros / per).toFixed(1)} µs of CPU per request, ` +
        `${(ms / batches).toFixed(2)} ms a batch, ${((per / ms) * 1000).toFixed(0)} requests/s`,
    )
  }
}
clearInterval(beating)
await store.close()
