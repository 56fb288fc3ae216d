import { expect, test } from 'bun:test'
import { createCommitter } from '../../src/gateway/money/committer.ts'
import { createLogger } from '../../src/lib/log.ts'
import type { Batch } from '../../src/store/ports/records.ts'
import { eachEngine } from '../store/each-engine.ts'
import { reservation } from '../store/sqlite/file-store.ts'
import { now, settlement } from '../store/support.ts'
import { reserveBy } from './committer-scene.ts'

eachEngine((open, engine) => {
  test('a request that ends at once has its reservation decided first where others spend, too', async () => {
    await using file = await open()
    const { records } = file.store
    const batches: Batch[] = []
    const watched = {
      ...records,
      commit(batch: Batch) {
        batches.push(batch)
        return records.commit(batch)
      },
    }
    const log = createLogger({ sink() {}, pretty: false, clock: () => now, level: 'error' })
    const committer = createCommitter(watched, () => {}, log)
    const opening = 1_000_000_000
    const denial = reserveBy(committer, reservation({ requestId: 'a', amountNano: opening + 1 }))
    if (engine === 'PostgreSQL') {
      // By what is stored: this node may know of a balance that others have spent.
      expect(await denial).toBe('balance')
      expect(batches.map(({ reserve }) => reserve?.length)).toEqual([1])
    } else {
      await committer.settle(settlement({ requestId: 'a' }))
      expect(await denial).toBeUndefined()
      expect(batches.map(({ reserve }) => reserve?.length)).toEqual([0])
    }
    expect(committer.isShared).toBe(engine === 'PostgreSQL')
    await committer.idle()
  })
})
