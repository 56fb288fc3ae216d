import { describe, expect, test } from 'bun:test'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { administer, createDatabase, hasPostgres } from '../../support/postgres.ts'
import { accountWrite, now, seed, settlement } from '../support.ts'

describe.skipIf(!hasPostgres)('a look at the database', () => {
  test('finds out that it takes no writing, and that it does again', async () => {
    await using database = await createDatabase()
    const store = await openPostgresStore({ url: database.url, clock: Date.now })
    const setReadOnly = async (value: 'on' | 'off') => {
      await administer(
        `ALTER DATABASE ${database.name} SET default_transaction_read_only = ${value}`,
      )
      await administer(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`,
      )
    }
    await store.check()
    await setReadOnly('on')
    await expect(store.check()).rejects.toThrow('takes no writing')
    await setReadOnly('off')
    await store.check()
    await store.close()
  })

  test('what comes while a standby is not promoted yet waits for it', async () => {
    await using database = await createDatabase()
    const store = await openPostgresStore({ url: database.url, clock: () => now })
    await seed(store)
    const setReadOnly = (value: 'on' | 'off') =>
      administer(`ALTER DATABASE ${database.name} SET default_transaction_read_only = ${value}`)
    await setReadOnly('on')
    await administer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`,
    )
    const charging = store.records.commit({ settle: [settlement({ requestId: 'a' })] })
    const changing = store.admin.write({ accounts: [accountWrite({ email: 'bob@example.com' })] })
    const all = Promise.allSettled([charging, changing])
    await expect(store.check()).rejects.toThrow('takes no writing')
    await setReadOnly('off')
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    expect((await store.admin.account('ann@example.com'))?.balanceNano).toBe(999_999_900)
    await store.close()
  })
})
