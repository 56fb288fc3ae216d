import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, linkSync, writeFileSync } from 'node:fs'
import { move } from '../../../src/app/move/move.ts'
import { parsePlace, type StorePlace } from '../../../src/app/move/rows.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { newestVersion } from '../../../src/store/schema/versions.ts'
import { openSpool } from '../../../src/store/spool/spool.ts'
import { createClaim } from '../../../src/store/sqlite/file.ts'
import { now, settlement } from '../../store/support.ts'
import { ask, hasPostgres } from '../../support/postgres.ts'
import { createScene, type MoveScene, makeStore, secret } from './scene.ts'

let scene: MoveScene

beforeEach(() => {
  scene = createScene()
  process.env.TOLLGATE_SECRET = secret
})
afterEach(async () => {
  delete process.env.TOLLGATE_SECRET
  await scene[Symbol.asyncDispose]()
})

/** The message of a refusal, with the way out in it. */
const refusal = (source: StorePlace, target: StorePlace): Promise<string> =>
  move({ source, target, isRestarted: false }).then(
    () => 'not refused',
    (error: Error) => `${error.name}: ${error.message}`,
  )

/** Runs one statement on a file. */
function alter({ path }: { readonly path: string }, text: string, ...values: string[]): void {
  const db = new Database(path)
  db.query(text).run(...values)
  db.close()
}

test('places that are none are told, without a password', () => {
  for (const text of [
    '',
    'tollgate.db',
    'sqlite:',
    'sqlite://x',
    'mysql://u:word@h/d',
    'sqlite::memory:',
  ])
    expect(typeof parsePlace(text)).toBe('string')
  expect(parsePlace('postgres://user:word@no host/x')).not.toContain('word@')
  expect(parsePlace('postgres://user:a/b@host/x')).toContain(
    'write / # ? % @ as %2F %23 %3F %25 %40',
  )
  expect(parsePlace('sqlite:./x.db')).toEqual({ engine: 'sqlite', path: `${process.cwd()}/x.db` })
})

describe('a file', () => {
  test('whose spool has what it does not have yet is not moved', async () => {
    const [source, target] = [scene.sqlite('first.db'), scene.sqlite('second.db')]
    await makeStore(source.path, 1, 5)
    const log = createLogger({ sink() {}, pretty: false, clock: () => now, level: 'error' })
    const spool = await openSpool(`${source.path}.spool`, '5', log)
    await spool.add([settlement({ requestId: 'late' })])
    expect(await refusal(source, target)).toContain(
      `1 settlement waits in the spool ${source.path}.spool`,
    )
    spool.stored(['late'])
    await spool.close()
    expect(await refusal(source, target)).toBe('not refused')
  })

  test('that is not there, or another program’s, is not moved, and no target is made', async () => {
    const [source, target] = [scene.sqlite('first.db'), scene.sqlite('second.db')]
    expect(await refusal(source, target)).toContain(`There is no database ${source.path}`)
    alter(source, 'CREATE TABLE theirs (id INTEGER)')
    expect(await refusal(source, target)).toContain('belongs to another program')
    writeFileSync(source.path, 'no database at all, but a text of some length')
    expect(await refusal(source, target)).toContain('is not a SQLite database')
    expect(existsSync(target.path)).toBeFalse()
  })

  test('of another version is not moved, and stays at it', async () => {
    const [source, target] = [scene.sqlite('first.db'), scene.sqlite('second.db')]
    await makeStore(source.path, 1, 1)
    alter(source, `PRAGMA user_version = ${newestVersion - 1}`)
    expect(await refusal(source, target)).toContain(
      `is at version ${newestVersion - 1}, and this program moves version ${newestVersion}. Bring it up`,
    )
    alter(source, `PRAGMA user_version = ${newestVersion + 1}`)
    expect(await refusal(source, target)).toContain('was written by a newer version')
    expect(existsSync(target.path)).toBeFalse()
  })

  test('that a gateway serves from is neither moved nor filled', async () => {
    const [source, target] = [scene.sqlite('first.db'), scene.sqlite('second.db')]
    await makeStore(source.path, 1, 1)
    await makeStore(target.path, 1, 0)
    for (const { path } of [source, target]) {
      const claim = createClaim(path)
      claim.claim()
      expect(await refusal(source, target)).toContain(`running with the database ${path}`)
      claim.release()
    }
    expect(await refusal(source, target)).toBe('not refused')
  })

  test('can not be moved into itself, by whatever name, nor into one with rows', async () => {
    const [source, other] = [scene.sqlite('first.db'), scene.sqlite('other.db')]
    await makeStore(source.path, 1, 2)
    await makeStore(other.path, 1, 1)
    linkSync(source.path, scene.file('linked.db'))
    for (const target of [source, scene.sqlite('linked.db')])
      expect(await refusal(source, target)).toContain('is the database that is to be moved')
    expect(await refusal(source, other)).toContain(`${other.path} is not empty (table account`)
  })

  test('whose keys nothing opens is not moved', async () => {
    const [source, target] = [scene.sqlite('first.db'), scene.sqlite('second.db')]
    await makeStore(source.path, 1, 5)
    process.env.TOLLGATE_SECRET = 'another secret of good length'
    expect(await refusal(source, target)).toContain('TOLLGATE_SECRET does not open the keys')
    delete process.env.TOLLGATE_SECRET
    expect(await refusal(source, target)).toContain('There is no secret for the keys')
    writeFileSync(`${source.path}.secret`, secret)
    writeFileSync(`${target.path}.secret`, 'another secret of good length')
    expect(await refusal(source, target)).toContain('holds another secret than')
    expect(existsSync(target.path)).toBeFalse()
    writeFileSync(`${target.path}.secret`, secret)
    expect(await refusal(source, target)).toBe('not refused')
  })

  test('with a number that is not exact is refused at its row', async () => {
    const [source, target] = [scene.sqlite('first.db'), scene.sqlite('second.db')]
    await makeStore(source.path, 1, 5)
    alter(source, 'UPDATE ledger SET amount_nano = 9007199254740993 WHERE id = 6')
    expect(await refusal(source, target)).toContain('ledger 6: amount_nano is')
  })

  test('that changes while it is moved is found out', async () => {
    const [source, target] = [scene.sqlite('first.db'), scene.sqlite('second.db')]
    await makeStore(source.path, 1, 5)
    let isChanged = false
    const onProgress = () => {
      if (!isChanged) alter(source, "UPDATE channel SET name = 'renamed' WHERE id = 3")
      isChanged = true
    }
    const moving = move({ source, target, isRestarted: false, onProgress })
    await expect(moving).rejects.toThrow('has changed since its rows began to be moved')
    // What was moved is the old name: going on finds that, too.
    expect(await refusal(source, target)).toContain('channel 3 is not the same in')
    await move({ source, target, isRestarted: true })
  })

  test('whose copy was tampered with is found out', async () => {
    const [source, target] = [scene.sqlite('first.db'), scene.sqlite('second.db')]
    await makeStore(source.path, 1, 5)
    for (const [change, message] of [
      ["UPDATE token SET name = 'other' WHERE id = 6", 'token 6 is not the same'],
      ['DELETE FROM attempt WHERE request_row = 15', 'attempt 15'],
      ["INSERT INTO setting VALUES (char(1114111, 42), '1', 0)", 'setting "\u{10ffff}*" is not'],
    ] as const) {
      const onProgress = ({ part }: { readonly part: string }) => {
        if (part === 'comparing rows') throw new Error('ended here')
      }
      const moving = move({ source, target, isRestarted: existsSync(target.path), onProgress })
      await expect(moving).rejects.toThrow('ended here')
      alter(target, change)
      expect(await refusal(source, target)).toContain(message)
    }
  })
})

describe.skipIf(!hasPostgres)('a database of PostgreSQL', () => {
  test('that is empty, or that nodes serve from, is not moved', async () => {
    const [source, target] = [await scene.postgres(), scene.sqlite('second.db')]
    expect(await refusal(source, target)).toContain('is empty: nothing is to be moved')
    const store = await openPostgresStore({ url: source.url, clock: () => now })
    const id = await store.nodes.register({ name: 'rack-7', version: '1' })
    expect(await refusal(source, target)).toContain('(rack-7): stop them first')
    expect(await refusal(target, source)).toContain('There is no database')
    await store.nodes.forget(id)
    await store.close()
    expect(await refusal(source, target)).toBe('not refused')
  })

  test('with rows, or with nodes, is not filled, nor with itself', async () => {
    const [first, other] = [scene.sqlite('first.db'), scene.sqlite('other.db')]
    const target = await scene.postgres()
    await makeStore(first.path, 1, 2)
    await makeStore(other.path, 2, 2)
    await move({ source: first, target, isRestarted: false })
    expect(await refusal(other, target)).toContain('is not empty (table account')
    expect(await refusal(target, target)).toContain('is the database that is to be moved')
    const empty = await scene.postgres()
    const store = await openPostgresStore({ url: empty.url, clock: () => now })
    await store.nodes.register({ name: 'rack-7', version: '1' })
    await store.close()
    expect(await refusal(first, empty)).toContain('(rack-7): stop them first')
  })

  test('of another program is left alone', async () => {
    const [first, target] = [scene.sqlite('first.db'), await scene.postgres()]
    await makeStore(first.path, 1, 1)
    await ask(target.url, 'CREATE TABLE theirs (id int)')
    expect(await refusal(first, target)).toContain('belongs to another program')
  })

  test('gets U+FFFD where it can not hold U+0000, which is told; not in a key', async () => {
    const [first, target] = [scene.sqlite('first.db'), await scene.postgres()]
    await makeStore(first.path, 1, 30)
    alter(first, 'UPDATE request SET cause_text = ? WHERE id > 9', 'a\0b')
    const moved = await move({ source: first, target, isRestarted: false })
    expect(moved).toMatchObject({ replacedTotal: 27 })
    expect(moved.replaced.slice(0, 2)).toEqual(['request 12', 'request 15'])
    expect(
      await ask(target.url, "SELECT count(*) AS rows FROM request WHERE cause_text = E'a\\uFFFDb'"),
    ).toEqual([{ rows: 27 }])
    alter(first, 'UPDATE setting SET name = ? WHERE name = (SELECT min(name) FROM setting)', 'a\0b')
    expect(await refusal(first, await scene.postgres())).toContain(
      'setting "a\\u0000b": U+0000 is in its key',
    )
  })
})
