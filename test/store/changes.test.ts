import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type AnyStore, eachEngine, type TestStore } from './each-engine.ts'
import { reservation } from './sqlite/file-store.ts'
import { accountWrite, channelWrite, settlement, tokenWrite } from './support.ts'

const credit = { account: 'ann@example.com', kind: 'credit', amountNano: 5 } as const
const byHand = { reason: 'paid', idempotencyKey: null, actor: 'someone' }

eachEngine((open, engine) => {
  let file: TestStore
  let beside: AnyStore

  beforeEach(async () => {
    file = await open()
    beside = await file.openBeside()
    await file.store.changedElsewhere()
  })
  afterEach(async () => {
    await beside.close()
    await file[Symbol.asyncDispose]()
  })

  test.each<[string, () => Promise<unknown>]>([
    ['a token', () => beside.admin.write({ tokens: [tokenWrite({ status: 'disabled' })] })],
    ['a channel', () => beside.admin.write({ channels: [channelWrite({ weight: 3 })] })],
    ['a channel that is well again', () => beside.edits.recoverChannel(1, { actor: 'someone' })],
    ['an account', () => beside.admin.write({ accounts: [accountWrite({ status: 'disabled' })] })],
    ['a balance', () => beside.admin.adjust({ ...credit, ...byHand })],
    ['a removed token', () => beside.admin.write({ remove: { tokenIds: [1] } })],
  ])('is told once of %s that another process changes', async (_, change) => {
    expect(await file.store.changedElsewhere()).toBe(false)
    await change()
    expect(await file.store.changedElsewhere()).toBe(true)
    expect(await file.store.changedElsewhere()).toBe(false)
  })

  test('is told nothing of what it changes itself', async () => {
    await file.store.admin.write({ tokens: [tokenWrite({ status: 'disabled' })] })
    await file.store.admin.adjust({ ...credit, ...byHand })
    expect(await file.store.changedElsewhere()).toBe(false)
  })

  describe.if(engine === 'PostgreSQL')('of a cluster', () => {
    test('requests of other nodes are no change, nor is a change that is taken back', async () => {
      await beside.records.commit({ reserve: [reservation({ requestId: 'a' })] })
      await beside.records.commit({ settle: [settlement({ requestId: 'a' })] })
      const unknown = tokenWrite({ keyHash: 'another', group: 'no such group' })
      await expect(beside.admin.write({ tokens: [unknown] })).rejects.toThrow('no such group')
      expect(await file.store.changedElsewhere()).toBe(false)
    })

    test('what was missed while nobody listened counts as a change', async () => {
      await file.change(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'",
      )
      await beside.admin.write({ tokens: [tokenWrite({ status: 'disabled' })] })
      // The first call may be the one that finds out.
      const told = [1, 2].map(() => file.store.changedElsewhere().catch(() => false))
      expect(await Promise.all(told)).toContain(true)
    })
  })
})
