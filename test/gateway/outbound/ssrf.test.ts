import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createMediaFetcher } from '../../../src/gateway/media/fetch-media.ts'
import {
  AddressRefused,
  createOutbound,
  HostNotFound,
  type OutboundCall,
} from '../../../src/gateway/outbound/outbound.ts'
import { type Listeners, startListeners } from '../../support/listeners.ts'
import { privateHosts, unfitUrls } from '../../support/private-addresses.ts'
import { fetchBy, wordsOf } from '../media/media-scene.ts'
import { startTwoHosts } from './two-hosts.ts'

// X1: what the one outbound door does not call, with the system's own resolver.

let listeners: Listeners
beforeAll(async () => {
  listeners = await startListeners({ ok: true })
})
afterAll(() => listeners[Symbol.asyncDispose]())

const outbound = createOutbound({ env: {} })
const media = createMediaFetcher({ outbound }).of('a client')

const callTo = (url: string, details: Partial<OutboundCall> = {}): OutboundCall => ({
  ...{ url, method: 'GET', headers: {}, body: undefined, signal: AbortSignal.timeout(60_000) },
  ...{ allowPrivate: false, connectMs: 1_000, ...details },
})

/** Runs; nobody may come to the listeners meanwhile. */
async function unreached(run: () => Promise<void>): Promise<void> {
  const before = listeners.connections()
  await run()
  expect(listeners.connections()).toBe(before)
}

/** Not every system has an address for each of the names. */
const notCalled = (error: unknown) =>
  error instanceof AddressRefused ||
  error instanceof HostNotFound ||
  (error instanceof Error && 'code' in error && error.code === 'ENOTFOUND')

describe.each(privateHosts)('X1: $host ($what)', ({ host }) => {
  test('is not called for a channel that may not call private addresses', async () => {
    await unreached(async () => {
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${listeners.port}/v1/models`
        const error = await outbound(callTo(url)).catch((thrown: unknown) => thrown)
        expect(notCalled(error)).toBe(true)
      }
    })
  })

  test('is not called for a file that a client names', async () => {
    await unreached(async () => {
      const words = await wordsOf(fetchBy(media, `http://${host}:${listeners.port}/a.png`))
      expect(words).toMatch(/has no public address|could not be found/)
    })
  })
})

const hostsHere = privateHosts.filter(({ isHere }) => isHere)
test.each(hostsHere)('$host ($what) is called for a channel that may', async ({ host }) => {
  const before = listeners.connections()
  const url = `http://${host}:${listeners.port}/v1/models`
  const response = await outbound(callTo(url, { allowPrivate: true }))
  expect(await response.json()).toEqual({ ok: true })
  expect(listeners.connections()).toBeGreaterThan(before)
})

describe.each(unfitUrls)('X1: %j', (text) => {
  const url = () => text.replaceAll('{port}', String(listeners.port))

  test('is not called for any channel', async () => {
    await unreached(async () => {
      const error = await outbound(callTo(url())).catch((thrown: unknown) => thrown)
      // What is no URL at all is none of a channel's.
      expect(notCalled(error) || error instanceof TypeError).toBe(true)
    })
  })

  test('is not called for a file that a client names', async () => {
    await unreached(async () => {
      expect(await wordsOf(fetchBy(media, url()))).toStartWith('The ')
    })
  })
})

describe('X1: a name is not called that leads', () => {
  const places: readonly (readonly [where: string, name: string, addresses: readonly string[]])[] =
    [
      ['to a cloud’s metadata', 'metadata.google.internal', ['169.254.169.254']],
      ['to a cloud’s metadata in IPv6', 'instance-data.test', ['fd00:ec2::254']],
      ['to this machine', 'localtest.test', ['127.0.0.1']],
      ['to this machine in IPv6', 'localtest.test', ['::1']],
      ['to an IPv4 address in IPv6', 'mapped.test', ['::ffff:10.0.0.1']],
      ['to an address with a zone', 'zone.test', ['fe80::1%eth0']],
      ['to a public and a private address', 'both.test', ['8.8.8.8', '10.0.0.1']],
      ['to a private and a public address', 'both.test', ['10.0.0.1', '8.8.8.8']],
      ['to a public address and one by NAT64', 'both.test', ['2606:4700::1111', '64:ff9b::a00:1']],
      ['nowhere', 'nowhere.test', []],
    ]
  const callers = ['the operator', 'a client'] as const
  test.each(callers.flatMap((who) => places.map((place) => [...place, who] as const)))(
    '%s (%s, %j), as %s wrote it',
    async (_where, name, addresses, who) => {
      const found = createOutbound({ resolve: async () => addresses, env: {} })
      const isForeign = who === 'a client'
      const url = `http://${name}:${listeners.port}/`
      await unreached(async () => {
        const error = await found(callTo(url, { isForeign })).catch((thrown: unknown) => thrown)
        expect(notCalled(error)).toBe(true)
      })
    },
  )

  test('elsewhere when it is asked again: the first answer is the one that counts', async () => {
    await using hosts = await startTwoHosts()
    for (const isForeign of [false, true]) {
      const answers = [[hosts.publicAddress], [hosts.privateAddress]]
      const resolve = async () => answers.shift() ?? [hosts.privateAddress]
      const door = createOutbound({ resolve, isPublic: hosts.isPublic, env: {} })
      for (let times = 0; times < 20; times++) {
        const url = `http://rebinding.test:${hosts.port}/`
        const response = await door(callTo(url, { isForeign }))
        expect(await response.text()).toBe('public')
      }
    }
    expect(hosts.privateConnections()).toBe(0)
  })
})

describe('X1: a redirect', () => {
  const sendTo = (location: string) => new Response(null, { status: 307, headers: { location } })

  test('to a private address is not followed for a channel, whatever it may call', async () => {
    await using hosts = await startTwoHosts(() => sendTo(`http://127.0.0.1:${listeners.port}/`))
    const resolve = async () => [hosts.publicAddress]
    const door = createOutbound({ resolve, isPublic: hosts.isPublic, env: {} })
    const here = `http://${hosts.publicAddress}:${hosts.port}/`
    await unreached(async () => {
      const named = await door(callTo(`http://vendor.test:${hosts.port}/`))
      const allowed = await door(callTo(here, { allowPrivate: true }))
      expect([named.status, allowed.status]).toEqual([307, 307])
    })
    expect(hosts.asked.length).toBe(2)
  })

  test('to a private address at the end of a chain is not followed for a file', async () => {
    await using hosts = await startTwoHosts(({ url }) => {
      const step = Number(new URL(url).pathname.slice(1))
      return sendTo(step < 2 ? `/${step + 1}` : `http://127.0.0.1:${listeners.port}/`)
    })
    const resolve = async () => [hosts.publicAddress]
    const door = createOutbound({ resolve, isPublic: hosts.isPublic, env: {} })
    const fetchMedia = createMediaFetcher({ outbound: door }).of('a client')
    await unreached(async () => {
      const words = await wordsOf(fetchBy(fetchMedia, `http://vendor.test:${hosts.port}/0`))
      expect(words).toStartWith('The address redirects to another host')
    })
    expect(hosts.asked.map(({ path }) => path)).toEqual(['/0', '/1', '/2'])
  })
})
