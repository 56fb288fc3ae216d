import { afterAll, describe, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { ConnectTimeout, createDialer } from '../../../src/gateway/outbound/dial.ts'
import { fullServer } from './full-server.ts'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** A server that counts its connections. */
async function counting() {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket))
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: new URL(`http://127.0.0.1:${port}/v1`), sockets }
}

describe('reach', () => {
  test('dials a host once, and not again while it is known', async () => {
    const { url, sockets } = await counting()
    const dialer = createDialer({})
    await dialer.reach(url, 1_000)
    await dialer.reach(url, 1_000)
    expect(sockets.length).toBe(1)
  })

  test('does not dial a host that has just answered', async () => {
    const { url, sockets } = await counting()
    const dialer = createDialer({})
    dialer.answered(url)
    await dialer.reach(url, 1_000)
    expect(sockets.length).toBe(0)
  })

  test('leaves connecting to a proxy of the environment', async () => {
    const { url, sockets } = await counting()
    await createDialer({ HTTPS_PROXY: 'http://127.0.0.1:9' }).reach(url, 1_000)
    expect(sockets.length).toBe(0)
  })

  test('dials what NO_PROXY keeps from the proxy of the environment', async () => {
    const { url, sockets } = await counting()
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' }
    expect(await createDialer(env).reach(url, 1_000)).toBe('127.0.0.1')
    expect(sockets.length).toBe(1)
  })

  test('a refused connection is the socket’s own error', async () => {
    const { url } = await counting()
    servers.pop()?.close()
    await expect(createDialer({}).reach(url, 1_000)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('a connection that does not come about in time is told as that', async () => {
    await using full = await fullServer()
    const reaching = createDialer({}).reach(full.url, 150)
    await expect(reaching).rejects.toBeInstanceOf(ConnectTimeout)
  })

  test('X1: of given addresses only those are dialled, whatever the name leads to', async () => {
    const { url, sockets } = await counting()
    const named = new URL(`http://nowhere.invalid:${url.port}/`)
    const dialer = createDialer({})
    expect(await dialer.reach(named, 1_000, ['127.0.0.1'])).toBe('127.0.0.1')
    expect(await dialer.reach(named, 1_000, ['127.0.0.1'])).toBe('127.0.0.1')
    expect(sockets.length).toBe(1)
  })

  test('X1: an address that a host no longer has is not used again', async () => {
    const { url } = await counting()
    const named = new URL(`http://nowhere.invalid:${url.port}/`)
    const dialer = createDialer({})
    expect(await dialer.reach(named, 1_000, ['127.0.0.1'])).toBe('127.0.0.1')
    const reaching = dialer.reach(named, 1_000, ['127.0.0.3'])
    await expect(reaching).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('goes on to the next address when one does not answer', async () => {
    await using full = await fullServer()
    const live = createServer()
    servers.push(live)
    const port = Number(full.url.port)
    await new Promise<void>((done) => live.listen(port, '127.0.0.2', done))
    const named = new URL(`http://nowhere.invalid:${port}/`)
    const addresses = ['127.0.0.3', '127.0.0.1', '127.0.0.2']
    expect(await createDialer({}).reach(named, 3_000, addresses)).toBe('127.0.0.2')
  })

  test('a host that failed is dialled again', async () => {
    const { url, sockets } = await counting()
    const dialer = createDialer({})
    await dialer.reach(url, 1_000)
    dialer.lost(url)
    await dialer.reach(url, 1_000)
    expect(sockets.length).toBe(2)
  })
})
