import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { encryptionOf } from '../../../src/store/postgres/tls.ts'
import { ask, hasPostgres, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const folder = join(import.meta.dir, '../../fixtures/tls')
const file = (name: string) => join(folder, name)
const base = 'postgres://gate:hunter2@db.example.com/gate'

describe('an address says how it is encrypted', () => {
  test.each([
    ['', false],
    ['?sslmode=disable', false],
    ['?sslmode=require', { rejectUnauthorized: false }],
    ['?sslmode=no-verify', { rejectUnauthorized: false }],
    ['?sslmode=verify-full', {}],
    ['?sslmode=verify-full&sslrootcert=system', {}],
    [`?sslrootcert=${file('ca.pem')}`, { ca: expect.stringContaining('BEGIN CERTIFICATE') }],
    [
      `?sslmode=require&sslrootcert=${file('ca.pem')}`,
      { ca: expect.any(String), checkServerIdentity: expect.any(Function) },
    ],
    [
      `?sslmode=verify-full&sslcert=${file('local.pem')}&sslkey=${file('local.key')}`,
      { cert: expect.stringContaining('CERTIFICATE'), key: expect.stringContaining('KEY') },
    ],
  ] as const)('%s', (query, ssl) => {
    expect(encryptionOf(base + query)).toEqual({ connectionString: base, ssl })
  })

  test('what else it says stays', () => {
    const { connectionString } = encryptionOf(`${base}?sslmode=require&options=-c%20jit%3Doff`)
    expect(new URL(connectionString).search).toBe('?options=-c+jit%3Doff')
  })

  test.each([
    ['?sslmode=prefer', 'sslmode=prefer, which may go on in plain'],
    ['?sslmode=verify-ca', 'add &sslrootcert=/path/to/ca.pem'],
    ['?sslmode=verify-full&sslrootcert=/nowhere/ca.pem', 'sslrootcert of the database'],
  ])('%s is refused with a way out, without the password', (query, words) => {
    expect(() => encryptionOf(base + query)).toThrow(words)
    expect(() => encryptionOf(base + query)).not.toThrow('hunter2')
  })
})

describe.skipIf(!hasPostgres)('a server that encrypts', () => {
  let own: PostgresServer
  let named: PostgresServer

  beforeAll(async () => {
    // One signs its own certificate, the other one's is of an authority, for another name.
    const local = { cert: file('local.pem'), key: file('local.key') }
    const media = { cert: file('media.test.pem'), key: file('media.test.key') }
    ;[own, named] = await Promise.all([startPostgres([], local), startPostgres([], media)])
  })
  afterAll(async () => {
    await Promise.all([own, named].map((server) => server?.[Symbol.asyncDispose]()))
  })

  async function open(server: PostgresServer, query: string): Promise<string> {
    const url = `${server.url('postgres')}${query}`
    try {
      const store = await openPostgresStore({
        url,
        clock: Date.now,
        connectTimeoutMs: 2_000,
        patienceMs: 0,
      })
      await store.check()
      // The one that hears of changes, too.
      await store.changedElsewhere()
      await store.close()
      return 'open'
    } catch (error) {
      return String(error)
    }
  }

  test.each([
    ['', 'open'],
    ['?sslmode=require', 'open'],
    [`?sslmode=verify-full&sslrootcert=${file('local.pem')}`, 'open'],
    ['?sslmode=verify-full', 'has a certificate that nobody known here has signed: name the cert'],
    [`?sslmode=verify-full&sslrootcert=${file('unknown.pem')}`, 'sslrootcert=/path/to/ca.pem'],
    [`?sslmode=require&sslrootcert=${file('unknown.pem')}`, 'sslrootcert=/path/to/ca.pem'],
  ])('with a certificate of its own: %s', async (query, told) => {
    expect(await open(own, query)).toContain(told)
  })

  test.each([
    [`?sslmode=verify-ca&sslrootcert=${file('ca.pem')}`, 'open'],
    [`?sslmode=verify-full&sslrootcert=${file('ca.pem')}`, 'has a certificate of another name'],
    [`?sslmode=verify-ca&sslrootcert=${file('unknown.pem')}`, 'certificate'],
  ])('with a certificate of another name: %s', async (query, told) => {
    expect(await open(named, query)).toContain(told)
  })

  test('a connection that is to be encrypted is', async () => {
    const url = `${own.url('postgres')}?sslmode=require`
    const store = await openPostgresStore({ url, clock: Date.now })
    const rows = await ask<{ ssl: boolean }>(
      own.url('postgres'),
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'tollgate %'",
    )
    await store.close()
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.every(({ ssl }) => ssl)).toBe(true)
  })

  test('one that does not is told so', async () => {
    await using plain = await startPostgres()
    expect(await open(plain, '?sslmode=require')).toContain(
      'does not encrypt: set "ssl = on" there, or leave out sslmode',
    )
  })

  test('one that wants to be encrypted, and is not, is told so', async () => {
    const rules = createTempDir('tollgate-tls')
    chmodSync(rules.path, 0o755) // for the server, which runs as another user
    const hba = rules.join('hba.conf')
    writeFileSync(hba, 'hostssl all all 127.0.0.1/32 scram-sha-256\n', { mode: 0o644 })
    await using strict = await startPostgres([`hba_file=${hba}`], {
      ...{ cert: file('local.pem'), key: file('local.key') },
    })
    expect(await open(strict, '')).toContain(
      'takes encrypted connections only: add ?sslmode=require',
    )
    expect(await open(strict, '?sslmode=require')).toBe('open')
    rules.remove()
  })
})
