import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { newestVersion } from '../../src/store/schema/versions.ts'
import { createClaim } from '../../src/store/sqlite/file.ts'
import { runBinary, startBinary } from '../support/binary.ts'
import { fixtureSecret, formerSteps, makeOldDatabase } from '../support/old-databases.ts'
import { ask, createDatabase, hasPostgres } from '../support/postgres.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'

// The database of program 55909b4, which still serves from it when the new program is started.

const upstream = 'http://127.0.0.1:9'
const env = { TOLLGATE_SECRET: fixtureSecret }

let folder: TempDir

beforeEach(() => {
  folder = createTempDir('tollgate-old-nodes')
})
afterEach(() => folder.remove())

/** Runs `serve`, which must be refused. */
async function refusal(store: string): Promise<string> {
  const config = tollgateYaml({ listen: '127.0.0.1:0', upstream, store })
  writeFileSync(folder.join('tollgate.yaml'), config, { mode: 0o600 })
  const { exitCode, stderr } = await runBinary(['serve'], { cwd: folder.path, env })
  expect(exitCode).toBe(1)
  return stderr
}

/** Starts it, which must succeed, and verifies what it has taken over. */
async function takeOver(store: string): Promise<void> {
  const config = (listen: string) => tollgateYaml({ listen, upstream, store })
  const gateway = await startBinary({ cwd: folder.path, config, env, readyMs: 60_000 })
  expect(await gateway.stop()).toBe(0)
  expect(await runBinary(['verify'], { cwd: folder.path, env })).toMatchObject({ exitCode: 0 })
}

test.skipIf(!hasPostgres)(
  'nodes of the old program are named, and waited for until their heartbeats are stale',
  async () => {
    await using database = await createDatabase()
    const { url } = database
    for (const { postgres } of formerSteps.slice(0, 10)) if (postgres) await ask(url, postgres)
    await ask(url, 'CREATE TABLE schema_version (version bigint NOT NULL)')
    await ask(url, 'INSERT INTO schema_version VALUES (10)')
    await ask(
      url,
      `INSERT INTO node (name, version, started_at, seen_at, load) VALUES
        ('east:1', '0.1.0', now_ms() - 3600000, now_ms(), '{}'),
        ('west:1', '0.1.0', now_ms() - 3600000, now_ms(), '{}'),
        ('dead:1', '0.1.0', now_ms() - 3600000, now_ms() - 60000, '{}')`,
    )
    const beats = setInterval(
      () => void ask(url, "UPDATE node SET seen_at = now_ms() WHERE name <> 'dead:1'"),
      2_000,
    )
    try {
      expect(await refusal(url)).toContain(
        'is one of a former program, and nodes of it serve from there (east:1, west:1): ' +
          'stop them all, then start this one',
      )
    } finally {
      clearInterval(beats)
    }
    expect(await ask(url, 'SELECT version FROM schema_version')).toEqual([{ version: 10 }])
    await ask(url, 'UPDATE node SET seen_at = now_ms() - 60000')
    await takeOver(url)
    expect(await ask(url, 'SELECT version FROM schema_version')).toEqual([
      { version: newestVersion },
    ])
  },
  120_000,
)

test('a process of the old program that has the file is named, and taken over from once it has ended', async () => {
  const path = folder.join('tollgate.db')
  makeOldDatabase('of 55909b4, version 10', path)
  const version = () => {
    using db = new Database(path, { readonly: true })
    return db.query('PRAGMA user_version').values()
  }
  const old = createClaim(path)
  expect(old.claim()).toBe(true)
  expect(await refusal(path)).toContain(
    'is at version 10, and an older program serves from it, which could not go on',
  )
  expect(version()).toEqual([[10]])
  old.release()
  await takeOver(path)
  expect(version()).toEqual([[newestVersion]])
}, 120_000)
