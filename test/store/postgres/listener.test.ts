import { describe, expect, test } from 'bun:test'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { now } from '../support.ts'

describe.skipIf(!hasPostgres)('the listening connection', () => {
  test('is asked one thing at a time, however many ask at once', async () => {
    await using database = await lendDatabase()
    const store = await openPostgresStore({ url: database.url, clock: () => now })
    const warnings: string[] = []
    const note = ({ message }: Error) => warnings.push(message)
    process.on('warning', note)
    const asked = Array.from({ length: 5 }, () => [
      store.changedElsewhere(),
      store.documents.leads(),
      store.documents.read('none'),
    ])
    const answers = await Promise.all(asked.flat())
    expect(answers.slice(0, 3)).toEqual([false, true, undefined])
    await Bun.sleep(0) // warnings come a turn later
    process.off('warning', note)
    expect(warnings).toEqual([])
    await store.close()
  })

  test('is not made again by who asks when all is closed', async () => {
    await using database = await lendDatabase()
    const store = await openPostgresStore({ url: database.url, clock: () => now })
    const asking = store.documents.leads()
    await store.close()
    expect(await asking).toBe(true)
    await expect(store.documents.leads()).rejects.toThrow('is closed')
    expect(await store.changedElsewhere()).toBe(false)
  })
})
