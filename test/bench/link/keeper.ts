import { openDesk } from '../../../src/app/group/desk.ts'
import { createMemoryCounters } from '../../../src/gateway/limits/memory-counters.ts'
import type { Batch } from '../../../src/store/ports/records.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { seed } from '../../store/support.ts'
import { silentLog } from '../../support/keeper-link.ts'
import { answerQuestions } from '../streams/part.ts'
import { ordinarySettlement, startCpu } from './settlements.ts'

/** The keeper of `link.ts`: a real database file behind a desk. */
let cpu = startCpu()
let store: ReturnType<typeof openSqliteStore> | undefined
let commits = 0

const questions = {
  async open({ path, address, secret }: { path: string; address: string; secret: string }) {
    const real = openSqliteStore({ path, clock: Date.now })
    store = real
    await seed(real)
    await real.admin.adjust({
      ...{ account: 'ann@example.com', kind: 'credit', amountNano: 1e15, reason: 'bench' },
      ...{ idempotencyKey: null, actor: 'bench' },
    })
    const commit = (batch: Batch) => {
      commits++
      return real.records.commit(batch)
    }
    openDesk({
      ...{ address, secret, log: silentLog, given: () => null },
      store: { ...real, records: { ...real.records, commit } },
      counters: createMemoryCounters({ tick: () => performance.now(), processes: () => 1 }),
    })
  },
  begin() {
    Bun.gc(true)
    commits = 0
    cpu = startCpu()
  },
  end: () => ({ cpuMicros: cpu(), commits }),
  /** The part of SQLite alone: batches of this size, made before. */
  async storeAlone({ requests, size }: { requests: number; size: number }) {
    const batches = Array.from({ length: Math.ceil(requests / size) }, () => ({
      settle: Array.from({ length: size }, ordinarySettlement),
    }))
    const used = startCpu()
    for (const batch of batches) await store?.records.commit(batch)
    return { cpuMicros: used() }
  },
}
export type KeeperQuestions = typeof questions
answerQuestions(questions)
