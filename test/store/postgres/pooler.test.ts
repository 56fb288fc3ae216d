import { describe, expect, test } from 'bun:test'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { hasPooler, startPooler } from '../../support/pooler.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { reservation } from '../sqlite/file-store.ts'
import { now, seed, settlement, tokenWrite } from '../support.ts'

describe.skipIf(!hasPostgres || !hasPooler)('behind PgBouncer', () => {
  test('sessions work as without it', async () => {
    await using database = await lendDatabase()
    await using pooler = await startPooler(database.url, 'session')
    const [one, other] = await Promise.all(
      [1, 2].map(() => openPostgresStore({ url: pooler.url, clock: () => now })),
    )
    if (one === undefined || other === undefined) throw new Error('no stores')
    await seed(one)
    await one.records.commit({ reserve: [reservation({ requestId: 'a' })] })
    const { accounts } = await other.records.commit({ settle: [settlement({ requestId: 'a' })] })
    expect(accounts).toEqual([{ accountId: 1, balanceNano: 999_999_900 }])
    await other.changedElsewhere()
    await one.admin.write({ tokens: [tokenWrite({ status: 'disabled' })] })
    expect(await other.changedElsewhere()).toBe('accounts')
    expect([await one.documents.leads(), await other.documents.leads()]).toEqual([true, false])
    expect((await one.lists.ledger({}, { size: 3 })).rows).toHaveLength(2)
    await Promise.all([one.close(), other.close()])
  })

  test('a store is not opened where changes would not be heard of, and the way out is told', async () => {
    await using database = await lendDatabase()
    await using pooler = await startPooler(database.url, 'transaction')
    const opening = openPostgresStore({ url: pooler.url, clock: () => now })
    const failed = await opening.catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'StoreError' })
    expect(String(failed)).toMatch(/^StoreError: The database postgres:[^ ]+ is behind a pooler/)
    expect(String(failed)).toContain('let it pool sessions')
  })
})
