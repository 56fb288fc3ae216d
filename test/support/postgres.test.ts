import { describe, expect, test } from 'bun:test'
import { ask, createDatabase, hasPostgres, sharedPostgres, startPostgres } from './postgres.ts'

describe.skipIf(!hasPostgres)('a PostgreSQL server for tests', () => {
  test('lends each test a database of its own, a copy of the one that is named', async () => {
    await using first = await createDatabase()
    await ask(first.url, 'CREATE TABLE mine (id int); INSERT INTO mine VALUES (7)')
    await using copy = await createDatabase(first.name)
    await ask(copy.url, 'INSERT INTO mine VALUES (8)')
    expect(await ask<{ id: number }>(first.url, 'SELECT id FROM mine')).toEqual([{ id: 7 }])
    expect(await ask<{ id: number }>(copy.url, 'SELECT id FROM mine')).toHaveLength(2)
  })

  test('takes no connection without its password', async () => {
    const url = (await sharedPostgres()).url('postgres').replace(/:[^:@]+@/, ':wrong@')
    await expect(ask(url, 'SELECT 1')).rejects.toThrow('password authentication failed')
  })

  test('keeps what was committed when it ends as by a power cut, and comes back', async () => {
    await using server = await startPostgres()
    const url = server.url('postgres')
    await ask(url, 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (1)')
    await server.stop('immediate')
    await expect(ask(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
    await server.start()
    expect(await ask<{ id: number }>(url, 'SELECT id FROM kept')).toEqual([{ id: 1 }])
  })
})
