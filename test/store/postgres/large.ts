import { move } from '../../../src/app/move/move.ts'
import { fillLedger } from '../../bench/fill-ledger.ts'
import { sealKeys } from '../../bench/seal-keys.ts'
import { createDatabase, type TestDatabase } from '../../support/postgres.ts'
import { temporaryDirectory } from '../support.ts'

/** A database with very many made requests and all that belongs to them, moved there from a file. */
export async function createLarge(count: number): Promise<TestDatabase> {
  using directory = temporaryDirectory()
  const path = directory.file('large.db')
  await fillLedger(path, count)
  sealKeys(path)
  const database = await createDatabase()
  const target = { engine: 'postgres', url: database.url } as const
  await move({ source: { engine: 'sqlite', path }, target, isRestarted: false })
  return database
}
