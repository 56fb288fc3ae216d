import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { all, type Engine, first, run, type Steps } from '../../../src/store/queries/steps.ts'
import { sql } from '../../../src/store/schema/sql.ts'
import { createEngine } from '../../../src/store/sqlite/engine.ts'
import { createAccess } from '../../../src/store/sqlite/file.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, temporaryDirectory } from '../support.ts'

let directory: ReturnType<typeof temporaryDirectory>
let db: Database
let other: Database
let engine: Engine

beforeEach(async () => {
  directory = temporaryDirectory()
  const path = directory.file('some.db')
  await openSqliteStore({ path, clock: () => now }).close()
  db = new Database(path, { strict: true })
  db.run('PRAGMA busy_timeout = 2000')
  other = new Database(path)
  engine = createEngine(db, createAccess(db))
})
afterEach(() => {
  other.close()
  db.close()
  directory[Symbol.dispose]()
})

const setting = (name: string) => ({ name, value: '1', updated_at: now })
const add = (name: string) => run(sql`INSERT INTO setting VALUES (${name}, '1', ${now})`)
const addElsewhere = (name: string) =>
  other.run('INSERT INTO setting VALUES (?, ?, ?)', [name, '1', now])
const namesElsewhere = () =>
  other
    .query<{ name: string }, []>('SELECT name FROM setting ORDER BY name')
    .all()
    .map(({ name }) => name)

function* names(): Steps<string[]> {
  const rows = yield* all(sql<{ name: string }>`SELECT name FROM setting ORDER BY name`)
  return rows.map(({ name }) => name)
}

test('a statement gives its rows, its first row, or how many rows it changed', async () => {
  function* steps() {
    const none = yield* first(sql`SELECT * FROM setting`)
    const rows = ['a', 'b', 'c'].map((name) => sql`(${name}, '1', ${now})`)
    const added = yield* run(sql`INSERT INTO setting VALUES ${sql.join(rows)}`)
    const one = yield* first(sql`SELECT * FROM setting ORDER BY name`)
    const removed = yield* run(sql`DELETE FROM setting WHERE name > 'a'`)
    return { none, added, one, removed, left: yield* names() }
  }
  expect(await engine.write(steps)).toEqual({
    none: undefined,
    added: 3,
    one: setting('a'),
    removed: 2,
    left: ['a'],
  })
})

test('a write is all of its steps or nothing; what they throw comes out as it is', async () => {
  const refusal = new RangeError('no')
  function* steps(): Steps<void> {
    yield* add('a')
    throw refusal
  }
  expect(await engine.write(steps).catch((error: unknown) => error)).toBe(refusal)
  expect(await engine.read(names)).toEqual([])
})

test('a write is done when it is called: nothing comes between its statements', async () => {
  function* steps(): Steps<void> {
    yield* add('a')
    yield* add('b')
  }
  const writing = engine.write(steps)
  expect(namesElsewhere()).toEqual(['a', 'b'])
  await writing
})

test('a write waits for another process that writes, and sees what that has written', async () => {
  function* steps(): Steps<string[]> {
    yield* add('b')
    return yield* names()
  }
  other.run('BEGIN IMMEDIATE')
  const startedAt = performance.now()
  const writing = engine.write(steps)
  expect(performance.now() - startedAt).toBeLessThan(500)
  addElsewhere('a')
  other.run('COMMIT')
  expect(await writing).toEqual(['a', 'b'])
})

/** Looks twice, and somebody else writes between. */
function* twice(): Steps<readonly string[][]> {
  const before = yield* names()
  addElsewhere('a')
  return [before, yield* names()]
}

test('a snapshot is of one state, whoever writes meanwhile', async () => {
  expect(await engine.snapshot(twice)).toEqual([[], []])
})

test('each statement of a read sees what is there by then', async () => {
  expect(await engine.read(twice)).toEqual([[], ['a']])
})

test('an error of the database says what to do, and a transaction is over after it', async () => {
  const text = directory.file('text.db')
  await Bun.write(text, 'no database '.repeat(100))
  using broken = new Database(text)
  const { read, snapshot } = createEngine(broken, createAccess(broken))
  for (const reading of [read(names), snapshot(names)]) {
    await expect(reading).rejects.toThrow(`The database ${text} is not a SQLite database`)
  }
  await engine.write(() => add('a'))
  await expect(engine.write(() => add('a'))).rejects.toThrow('UNIQUE')
  expect(db.inTransaction).toBeFalse()
})
