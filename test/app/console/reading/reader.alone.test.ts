import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { gunzipSync } from 'node:zlib'
import { ApiError } from '../../../../src/admin/api-error.ts'
import { readingCommand } from '../../../../src/app/console/reading/messages.ts'
import type { DatabasePlace } from '../../../../src/store/ports/store.ts'
import { until } from '../../../e2e/until.ts'
import type { EngineName } from '../../../store/each-engine.ts'
import { createMadeStore, type MadeStore } from '../../../store/lists/scene.ts'
import { temporaryDirectory } from '../../../store/support.ts'
import { hasPostgres } from '../../../support/postgres.ts'
import { makeDatabase } from '../../verify/scene.ts'
import { admin, readingOf, seen, startHere, startReader, user } from './scene.ts'

// Runs where a core is free: what gives way to all others gets too little beside them.

const requests = 3_000

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => error,
  )

/** A file of proc(5); undefined: its process has ended. */
function textOf(place: string) {
  try {
    return readFileSync(`/proc/${place}`, 'utf8')
  } catch {
    return undefined
  }
}

/** Fields of proc_pid_stat(5) from the third one on, by their numbers there; undefined: it has ended. */
function statOf(place: string) {
  const stat = textOf(`${place}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (
    fields && { parent: Number(fields[1]), nice: Number(fields[16]), policy: Number(fields[38]) }
  )
}

/** The processes that this one has started to read. */
const readers = () =>
  readdirSync('/proc').filter(
    (id) => statOf(id)?.parent === process.pid && textOf(`${id}/cmdline`)?.includes(readingCommand),
  )

function onEngine(engine: EngineName): void {
  let made: MadeStore
  let place: DatabasePlace
  beforeAll(async () => {
    made = await createMadeStore(requests, engine)
    place = engine === 'SQLite' ? { path: made.path } : { url: made.path }
  })
  afterAll(() => made[Symbol.asyncDispose]())

  test('a store says where it is', () => {
    expect(made.store.place).toEqual(place)
  })

  test('every answer is, to the byte, the one of this process', async () => {
    const here = startHere(made.store)
    await using scene = startReader(place)
    const [newest] = (await made.store.lists.requests({}, { size: 1 })).rows
    const id = newest?.requestId
    const paths = [
      ...['', '?outcome=failed&page_size=7', '?cursor=nonsense', '?page_size=0', '?account=nobody']
        .map((query) => `/admin/requests${query}`)
        .concat(`/admin/requests/${id}`, '/admin/requests/req_none'),
      ...['/admin/requests/export', '/admin/requests/export?format=jsonl&outcome=failed'],
      ...['/requests', '/requests/export?format=jsonl', '/requests/req_none', '/ledger'],
      ...['/ledger/export', '/overview?days=30', '/tokens', '/admin/overview', '/admin/attempts'],
      ...['/admin/audit', '/admin/accounts?search=1', '/admin/accounts/1/ledger'],
      ...[
        '/admin/config.yaml',
        '/admin/accounts/987654/ledger',
        '/admin/accounts/1/tokens',
        '/admin/accounts/x/tokens',
      ],
    ]
    const kinds = new Set<number>()
    for (const who of [admin, user]) {
      for (const path of paths) {
        const expected = await seen(await here.handle(readingOf(path), who))
        const found = await seen(await scene.reader.answer(readingOf(path), who))
        expect({ path, ...found }).toEqual({ path, ...expected })
        kinds.add(found.status)
      }
    }
    expect([...kinds].toSorted()).toEqual([200, 400, 401, 403, 404])
    expect(scene.lines).toEqual([])
  })

  test('whoever takes gzip gets the same in it', async () => {
    await using scene = startReader(place)
    for (const path of [
      '/admin/requests?page_size=100',
      '/admin/requests/export',
      '/admin/overview',
    ]) {
      const ask = (init?: RequestInit) => scene.reader.answer(readingOf(path, init), admin)
      const plain = await ask()
      const gzip = await ask({ headers: { 'accept-encoding': 'gzip' } })
      expect(gzip.headers.get('content-encoding')).toBe('gzip')
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(gunzipSync(await gzip.bytes()).toString()).toBe(await plain.text())
    }
  })

  test('what only the gateway knows is asked of it', async () => {
    await using scene = startReader(place)
    const [newest] = (await made.store.lists.requests({}, { size: 1 })).rows
    const receipt = readingOf(`/admin/requests/${newest?.requestId}`)
    expect((await seen(await scene.reader.answer(receipt, admin))).body).toContain('hidden')
    const overview = await scene.reader.answer(readingOf('/admin/overview'), admin)
    expect(await overview.json()).toMatchObject({ data: { now: { requests_under_way: 3 } } })
  })

  test('the connection of a file may be silent while its next piece is searched for', async () => {
    await using scene = startReader(place)
    const limits: number[] = []
    const ask = (path: string) =>
      scene.reader.answer(readingOf(path), admin, (seconds) => limits.push(seconds))
    await (await ask('/admin/requests')).text()
    const pieces = (await ask('/admin/requests/export')).body?.getReader()
    expect(limits).toEqual([])
    await pieces?.read()
    expect(limits.splice(0)).toEqual([0, 60])
    while (!(await pieces?.read())?.done);
    expect(limits.slice(-2)).toEqual([0, 60])
  })

  test('HEAD tells of what GET gives, its length too, compressed or not', async () => {
    await using scene = startReader(place)
    for (const encoding of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding }
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) =>
          scene.reader.answer(
            readingOf('/admin/requests?page_size=100', { method, headers }),
            admin,
          ),
        ),
      )
      const { byteLength } = await (get as Response).arrayBuffer()
      const told = Object.fromEntries((head as Response).headers)
      expect(told).toEqual({
        ...Object.fromEntries((get as Response).headers),
        'content-length': String(byteLength),
      })
      expect((head as Response).body).toBeNull()
    }
  })

  test('HEAD has the head alone, and leaves no file open', async () => {
    await using scene = startReader(place)
    for (let count = 0; count < 6; count++) {
      const asked = readingOf('/admin/requests/export', { method: 'HEAD' })
      const { status, headers, body } = await seen(await scene.reader.answer(asked, admin))
      expect([status, body]).toEqual([200, ''])
      expect(headers['content-disposition']).toStartWith('attachment')
      expect(headers['content-length']).toBeUndefined()
    }
  })

  test.if(process.platform === 'linux')('nor does it where a server is asked', async () => {
    await using scene = startReader(place, 50)
    using server = Bun.serve({ port: 0, fetch: (request) => scene.reader.answer(request, admin) })
    const address = `${server.url.origin}/api/v1/admin/requests/export`
    const { status, headers } = await fetch(address, { method: 'HEAD', proxy: false })
    expect([status, headers.get('content-length')]).toEqual([200, null])
    expect(headers.get('content-disposition')).toStartWith('attachment')
    await until('the process has ended', () => readers().length === 0)
  })

  test('whoever leaves a file, or does not take it, makes room', async () => {
    await using scene = startReader(place)
    const open = (signal?: AbortSignal) =>
      scene.reader.answer(readingOf('/admin/requests/export', signal ? { signal } : {}), admin)
    const leaving = new AbortController()
    const files = [await open(leaving.signal), await open(), await open(), await open()]
    expect(await seen(await open())).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    leaving.abort()
    const fifth = await until('there is room', async () => {
      const response = await open()
      return response.status === 200 ? response : undefined
    })
    expect((await open()).status).toBe(503)
    await files[1]?.body?.cancel()
    await until('there is room again', async () => (await open()).status === 200)
    expect((await fifth.text()).split('\n').length).toBeGreaterThan(requests)
  })

  test('a stop breaks off what is being read, and nothing is read after it', async () => {
    await using scene = startReader(place)
    const { reader } = scene
    const file = await reader.answer(readingOf('/admin/requests/export'), admin)
    const pieces = file.body?.getReader()
    // Its first line goes ahead where the others are long in coming.
    for (let length = 0; length < 1_000; ) {
      const piece = await pieces?.read()
      expect(piece?.done).toBeFalse()
      length += piece?.value?.length ?? 0
    }
    const waiting = failureOf(reader.answer(readingOf('/admin/requests'), admin))
    await reader.close()
    expect(await waiting).toBeInstanceOf(ApiError)
    await expect(pieces?.read()).rejects.toThrow('about to stop')
    expect(await failureOf(reader.answer(readingOf('/admin/requests'), admin))).toMatchObject({
      reason: 'unavailable',
    })
  })
}

describe('SQLite', () => onEngine('SQLite'))
describe.skipIf(!hasPostgres)('PostgreSQL', () => onEngine('PostgreSQL'))

describe('a process', () => {
  const directory = temporaryDirectory()
  const path = directory.file('made.db')
  beforeAll(() => makeDatabase(path, requests), 60_000)
  afterAll(() => directory[Symbol.dispose]())

  test('that is lost is told of, and the next request has another one', async () => {
    const late = directory.file('late.db')
    await using scene = startReader({ path: late })
    const ask = () => scene.reader.answer(readingOf('/admin/requests'), admin)
    for (const refused of await Promise.all([failureOf(ask()), failureOf(ask())])) {
      expect(refused).toMatchObject({ reason: 'unavailable', details: { retryAfterSeconds: 2 } })
    }
    expect(scene.lines).toHaveLength(1)
    expect(scene.lines.join()).toContain('the process that reads lists has ended')
    await makeDatabase(late, 10)
    expect((await ask()).status).toBe(200)
  })

  test.if(process.platform === 'linux')(
    'that is told to stop reads on; one that is killed breaks off, and the next request has another',
    async () => {
      await using scene = startReader({ path })
      const file = await scene.reader.answer(readingOf('/admin/requests/export'), admin)
      const pieces = file.body?.getReader()
      await pieces?.read()
      const [id = ''] = readers()
      // A terminal and a service manager tell all processes at once.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(Number(id), signal)
      const list = () => scene.reader.answer(readingOf('/admin/requests'), admin)
      expect((await list()).status).toBe(200)
      expect(readers()).toEqual([id])
      process.kill(Number(id), 'SIGKILL')
      const waiting = failureOf(list())
      const rest = async () => {
        while (!(await pieces?.read())?.done);
      }
      expect(await failureOf(rest())).toMatchObject({ reason: 'unavailable' })
      expect(await waiting).toMatchObject({ details: { retryAfterSeconds: 2 } })
      expect(scene.lines.join()).toContain('It ended with SIGKILL.')
      expect((await list()).status).toBe(200)
    },
  )

  test('whose database is gone breaks a file off, and tells the log why', async () => {
    const gone = directory.file('gone.db')
    await makeDatabase(gone, requests)
    await using scene = startReader({ path: gone })
    const file = await scene.reader.answer(readingOf('/admin/requests/export'), admin)
    const pieces = file.body?.getReader()
    await pieces?.read()
    using db = new Database(gone)
    db.run('ALTER TABLE request RENAME TO no_request')
    const rest = async () => {
      while (!(await pieces?.read())?.done);
    }
    expect(String(await failureOf(rest()))).toContain('no such table: request')
    expect(scene.lines.join()).toContain('an export broke off')
    const list = await seen(await scene.reader.answer(readingOf('/admin/requests'), admin))
    expect(list.status).toBe(500)
    expect(scene.lines.join()).toContain('console: unhandled error')
  })

  test('has so many lists to make at most; the others are told to come again', async () => {
    await using scene = startReader({ path })
    const asked = Array.from({ length: 70 }, () =>
      failureOf(scene.reader.answer(readingOf('/admin/requests'), admin)),
    )
    const refused = (await Promise.all(asked)).filter((one) => one !== 'done')
    expect(refused).toHaveLength(6)
    expect(refused[0]).toMatchObject({ reason: 'unavailable', details: { retryAfterSeconds: 2 } })
    expect((await scene.reader.answer(readingOf('/admin/requests'), admin)).status).toBe(200)
  })

  test('asks for a piece of a file when somebody takes it, and for no other', async () => {
    await using scene = startReader({ path })
    const large = readingOf('/admin/requests/export?format=jsonl')
    const { body } = await scene.reader.answer(large, admin)
    const pieces = body?.getReader()
    const first = await pieces?.read()
    expect(first?.value?.length).toBeWithin(1_000, 200_000)
    // A list that is asked for later overtakes the rest of the file.
    const list = await scene.reader.answer(readingOf('/admin/requests'), admin)
    expect(list.status).toBe(200)
    let count = 1
    while (!(await pieces?.read())?.done) count++
    expect(count).toBeGreaterThan(5)
  })

  test.if(process.platform === 'linux')(
    'gives way to all others, and ends when it has nothing to do',
    async () => {
      const own = getPriority(process.pid)
      await using scene = startReader({ path }, 50)
      await (await scene.reader.answer(readingOf('/admin/requests'), admin)).text()
      const [id] = readers()
      const threads = readdirSync(`/proc/${id}/task`).map((thread) =>
        statOf(`${id}/task/${thread}`),
      )
      expect(threads.length).toBeGreaterThan(1)
      // Each runs where nothing else would.
      for (const thread of threads) expect(thread).toMatchObject({ nice: 19, policy: 5 })
      expect(getPriority(process.pid)).toBe(own)
      await until('the process has ended', () => readers().length === 0)
      expect((await scene.reader.answer(readingOf('/admin/requests'), admin)).status).toBe(200)
      expect(scene.lines).toEqual([])
    },
  )
})
