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

  /** SQLite tells no more than that something was changed. */
  const accounts = engine === 'PostgreSQL' ? 'accounts' : 'all'

  test.each<[string, () => Promise<unknown>, 'accounts' | 'all']>([
    [
      'a token',
      () => beside.admin.write({ tokens: [tokenWrite({ status: 'disabled' })] }),
      accounts,
    ],
    ['a channel', () => beside.admin.write({ channels: [channelWrite({ weight: 3 })] }), 'all'],
    [
      'a channel that is well again',
      () => beside.edits.recoverChannel(1, { actor: 'someone' }),
      'all',
    ],
    [
      'an account',
      () => beside.admin.write({ accounts: [accountWrite({ status: 'disabled' })] }),
      accounts,
    ],
    ['a balance', () => beside.admin.adjust({ ...credit, ...byHand }), accounts],
    ['a removed token', () => beside.admin.write({ remove: { tokenIds: [1] } }), accounts],
  ])('is told once of %s that another process changes', async (_, change, what) => {
    expect(await file.store.changedElsewhere()).toBe(false)
    await change()
    expect(await file.store.changedElsewhere()).toBe(what)
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
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_listening_channels%' AND pid <> pg_backend_pid()",
      )
      await beside.admin.write({ tokens: [tokenWrite({ status: 'disabled' })] })
      // The first call may be the one that finds out.
      const told = [1, 2].map(() => file.store.changedElsewhere().catch(() => false))
      expect(await Promise.all(told)).toContain('all')
    })
  })
})
