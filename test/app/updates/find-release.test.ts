import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { makeKeys } from '../../../data/release/minisign.ts'
import { findRelease, type Wanted } from '../../../src/app/updates/find-release.ts'
import { seenBeside } from '../../../src/app/updates/seen.ts'
import { watchReleases } from '../../../src/app/updates/watch.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { type ReleaseServer, releaseKey, startReleaseServer, target } from './release-server.ts'

let folder: TempDir
let server: ReleaseServer

beforeEach(async () => {
  folder = createTempDir('tollgate-updates')
  server = await startReleaseServer()
})
afterEach(async () => {
  await server.stop()
  folder.remove()
})

const seen = () => seenBeside({ path: folder.join('gate.db'), synchronous: 'normal' })
const wanted = (more: Partial<Wanted> = {}): Wanted => ({
  ...{ address: server.address, key: releaseKey, installed: '1.2.0', seen: seen(), ...more },
})
const find = (more?: Partial<Wanted>) => findRelease(wanted(more))

test('a newer release is found; the same one is none; nothing is told about this gateway', async () => {
  await server.offer({ version: '1.10.0' })
  expect(await find()).toMatchObject({ version: '1.10.0' })
  expect(await find({ installed: '1.10.0' })).toBeUndefined()
  expect(await find({ installed: '1.10.0-rc.1' })).toMatchObject({ version: '1.10.0' })
  for (const { headers } of server.requests) {
    const names = [...headers.keys()].filter((name) => name !== 'host' && name !== 'connection')
    expect(names.sort()).toEqual(['accept', 'accept-encoding', 'user-agent'])
    expect(headers.get('user-agent')).toBe('tollgate')
  }
})

test('an older release, or one older than what was seen, is refused', async () => {
  await server.offer({ version: '1.1.0' })
  await expect(find()).rejects.toThrow('offers 1.1.0, which is older than this program, 1.2.0')
  await server.offer({ version: '1.4.0' })
  await find()
  expect(readFileSync(folder.join('gate.db.updates'), 'utf8')).toMatch(
    /^1\.4\.0 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\n$/,
  )
  await server.offer({ version: '1.3.0' })
  await expect(find()).rejects.toThrow(
    `offers 1.3.0, but 1.4.0 was seen there before: this is an old answer, and somebody may keep the new one from you. Nothing was changed. If 1.4.0 was taken back, remove ${folder.join('gate.db.updates')}`,
  )
})

const dayMs = 86_400_000
const now = Date.UTC(2026, 10, 27)

test('a list that was made before one that was seen is refused, though it offers the same; one from the future, too', async () => {
  await server.offer({ version: '1.3.0', now })
  await find()
  await server.offer({ version: '1.3.0', now: now - dayMs })
  await expect(find()).rejects.toThrow(
    'offers a list of 2026-11-26T00:00:00.000Z, but one of 2026-11-27T00:00:00.000Z was seen there before',
  )
  await server.offer({ version: '1.3.0', now: now + 3 * dayMs })
  const early = find({ clock: () => now })
  await expect(early).rejects.toThrow('here it is 2026-11-27T00:00:00.000Z: set the clock')
  expect(seen().read()?.madeAt).toBe('2026-11-27T00:00:00.000Z')
  await Bun.write(folder.join('gate.db.updates'), '1.3.0\n')
  expect(await find({ clock: () => now + 3 * dayMs })).toBeDefined()
})

test('what a list says can steer no terminal', async () => {
  const changes: readonly (readonly [string, string])[] = [
    ['"url":"', '"url":"\\u001b[2J'],
    [`"${target}"`, '"\\u009b2J"'],
    ['"archives"', '"notes_url":"https://example.com/\\u001b]0;x","archives"'],
    ['"archives"', '"notes_url":"https://example.com/\\u202e","archives"'],
  ]
  for (const [from, to] of changes) {
    const change = (text: string) => text.replace(from, to)
    await server.offer({ version: '1.3.0', change })
    await expect(find()).rejects.toThrow("is signed, but this program can't read it")
  }
})

describe('what is not signed right is refused', () => {
  const cases: readonly (readonly [string, (signature: string) => string | undefined, string])[] = [
    ['another text', (signature) => signature, 'does not fit: the file was changed'],
    [
      'another comment',
      (text) => text.replace('comment: tollgate', 'comment: Tollgate'),
      'does not fit',
    ],
    ['no signature', () => 'signed by me', 'is not a signature of minisign'],
    ['none there', () => undefined, "can't be read: it answered 404"],
  ]
  test.each(cases)('%s', async (name, change, message) => {
    await server.offer({ version: '1.3.0' })
    const [latest, place] = ['/releases/latest.json', '/releases/latest.json.minisig']
    const signature = Buffer.from(server.files.get(place) ?? []).toString()
    if (name === 'another text') server.files.set(latest, Buffer.from('{"version":"9.0.0"}'))
    const changed = change(signature)
    if (changed === undefined) server.files.delete(place)
    else server.files.set(place, Buffer.from(changed))
    await expect(find()).rejects.toThrow(message)
    expect(seen().read()).toBeUndefined()
  })

  test('by another key, by a build without one, and what no program of this kind reads', async () => {
    await server.offer({ version: '1.3.0' })
    const key = makeKeys().publicKey.split('\n')[1]
    await expect(find({ key })).rejects.toThrow(/is of the key [0-9A-F]{16}, not of [0-9A-F]{16}/)
    await expect(find({ key: undefined })).rejects.toThrow('has no key to check releases with')
    await expect(find({ key: 'RWQ' })).rejects.toThrow('has a key that is none')
    await server.offer({ version: '1.3.0', change: () => '{ "version": "../../x" }' })
    await expect(find()).rejects.toThrow("is signed, but this program can't read it")
  })
})

describe('an address that', () => {
  const cases: readonly (readonly [string, (path: string) => Response | undefined, string])[] = [
    ['fails', () => new Response('', { status: 500 }), 'it answered 500'],
    [
      'leads elsewhere without TLS',
      () => Response.redirect('http://example.com/'),
      'leads to an address without https://',
    ],
    ['leads in a circle', (path) => Response.redirect(path), 'leads on more than 5 times'],
    ['has no end', () => new Response('x'.repeat(300_000)), 'it is longer than 262144 bytes'],
    [
      'is silent',
      () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
      'it was silent for 0.1 s',
    ],
  ]
  test.each(cases)('%s is given up', async (_, answer, message) => {
    server.answerBy(answer)
    await expect(find({ silenceMs: 100 })).rejects.toThrow(message)
  })

  test('has a password is told without it', async () => {
    const address = new URL(`${server.address.href}?token=secret`)
    address.username = 'operator'
    address.password = 'secret'
    await expect(find({ address })).rejects.toThrow(`${server.address.href} can't be read`)
    expect(server.requests[0]?.headers.get('authorization')).toStartWith('Basic ')
  })

  test('leads to another one on this machine is followed', async () => {
    await server.offer({ version: '1.3.0' })
    server.answerBy((path) =>
      path.startsWith('/releases/') ? undefined : Response.redirect(`/releases${path}`),
    )
    expect(await find({ address: new URL('/latest.json', server.address) })).toBeDefined()
  })
})

test('a gateway looks once a day; each release and each trouble is told once', async () => {
  const told: string[] = []
  const tell = (message: string, fields?: object) =>
    void told.push(`${message} ${JSON.stringify(fields)}`)
  let address: string | null = null
  let again: () => unknown = () => {}
  const everyMs: number[] = []
  const watch = watchReleases({
    ...wanted(),
    address: () => address,
    log: { info: tell, warn: tell },
    repeat(task, ms) {
      again = task
      everyMs.push(ms)
      return () => {}
    },
  })
  await watch.look()
  expect([server.requests, told, everyMs]).toEqual([[], [], [86_400_000]])
  address = server.address.href
  for (const _ of [1, 2]) await again()
  expect(told).toEqual([
    `whether a newer release is out is not known {"reason":"${address} can't be read: it answered 404. Nothing was changed: try again."}`,
  ])
  await server.offer({ version: '1.3.0' })
  for (const _ of [1, 2]) await again()
  expect(told.slice(1)).toEqual([
    'a newer release is out: tollgate upgrade {"version":"1.3.0","installed":"1.2.0"}',
  ])
  expect(watch.newer()).toMatchObject({ version: '1.3.0' })
  server.answerBy(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })))
  const last = again()
  await watch.stop()
  await last
  expect(told).toHaveLength(2)
})

test('a list that nobody has signed anew for long is told: it may be one that is kept in its place', async () => {
  const told: string[] = []
  const tell = (message: string, fields?: object) =>
    void told.push(`${message} ${JSON.stringify(fields)}`)
  await server.offer({ version: '1.2.0', now })
  let today = now + 179 * dayMs
  const watch = watchReleases({
    ...wanted({ clock: () => today }),
    address: () => server.address.href,
    log: { info: tell, warn: tell },
    repeat: () => () => {},
  })
  await watch.look()
  expect(told).toEqual([])
  // Told once, not on each day anew.
  for (const _ of [1, 2]) {
    today += dayMs
    await watch.look()
  }
  const madeOn = new Date(now).toISOString().slice(0, 10)
  expect(told).toEqual([
    `whether a newer release is out is not known {"reason":"the list of releases was made on ${madeOn}: a newer one ` +
      'may be kept from you; ask who publishes the releases"}',
  ])
  await watch.stop()
})
