import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { movedTables } from '../../../src/store/moving/move.ts'
import { migrate } from '../../../src/store/sqlite/migrate.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { ask, hasPostgres, type TestDatabase } from '../../support/postgres.ts'

const db = new Database(':memory:')
migrate(db, ':memory:')
const rows = <Row>(text: string, ...values: string[]) => db.query(text).all(...values) as Row[]
const namesOf = (found: readonly { name: string }[]) => found.map(({ name }) => name)
const columnsOf = (table: string) =>
  namesOf(rows('SELECT name FROM pragma_table_info(?) ORDER BY name', table))

/** Tables that stay where they are, and why. */
const leftTables: { readonly [name: string]: string } = {
  node: 'processes that serve from one place: of these none may be left when it is moved',
  document: 'of PostgreSQL alone: what nodes build anew from the other tables',
  token_spending:
    'of PostgreSQL alone: sums of usage_day and reservation, made when they are needed',
  response: 'kept for a day at the most: who continues one sends the whole conversation instead',
  response_share: 'sums of response',
  program: 'made with the tables',
  schema_version: 'of PostgreSQL alone, and made with the tables',
  unfinished_move: 'the mark of a move itself',
}

const known = [
  ...movedTables.map(({ name }) => name),
  ...movedTables.flatMap(({ partsTable }) => partsTable ?? []),
  ...Object.keys(leftTables),
]

/** What nodes tell each other by, and what says in which partition a row is. */
const isPostgresOnly = (table: string, column: string) =>
  ['reservation.is_open', 'attempt.request_id'].includes(`${table}.${column}`)

test('every table of SQLite is moved, or is known to stay', () => {
  const tables = namesOf(rows("SELECT name FROM sqlite_schema WHERE type = 'table'"))
  expect(tables.filter((name) => !known.includes(name))).toEqual([])
  expect(movedTables.filter(({ name }) => !tables.includes(name))).toEqual([])
})

test.each(movedTables.map((table) => [table.name, table] as const))(
  '%s is moved by its key, with its money, after what it names',
  (name, { key, money = [], without = [] }) => {
    const text = 'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk'
    expect(namesOf(rows(text, name))).toEqual([...key])
    const columns = columnsOf(name)
    const told = [...money, ...without].filter((column) => !isPostgresOnly(name, column))
    expect(told.filter((column) => !columns.includes(column))).toEqual([])
    const before = movedTables.slice(
      0,
      movedTables.findIndex((table) => table.name === name),
    )
    const named = rows<{ name: string }>(
      'SELECT "table" AS name FROM pragma_foreign_key_list(?)',
      name,
    )
    expect(namesOf(named).filter((one) => !namesOf(before).includes(one))).toEqual([])
  },
)

describe.skipIf(!hasPostgres)('in PostgreSQL', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await lendDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test('every table is moved, or is known to stay', async () => {
    const text = `SELECT relname AS name FROM pg_class
      WHERE relkind IN ('r', 'p', 'v', 'm') AND NOT relispartition AND relnamespace = current_schema()::regnamespace`
    const tables = namesOf(await ask<{ name: string }>(database.url, text))
    expect(tables.filter((name) => !known.includes(name))).toEqual([])
    expect(movedTables.filter(({ name }) => !tables.includes(name))).toEqual([])
  })

  test('tables have the same columns', async () => {
    const text = `SELECT table_name AS "table", column_name::text COLLATE "C" AS name
      FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 2`
    const found = await ask<{ table: string; name: string }>(database.url, text)
    for (const { name } of movedTables) {
      const columns = namesOf(found.filter(({ table }) => table === name))
      expect(columns.filter((column) => !isPostgresOnly(name, column))).toEqual(columnsOf(name))
    }
  })
})
