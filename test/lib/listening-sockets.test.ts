import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { listeningDescriptors } from '../../src/lib/connections.ts'
import { listenOnGiven } from '../../src/lib/given-socket.ts'
import { closeSocket, openListeningSockets } from '../../src/lib/listening-sockets.ts'
import { openSystemLibrary } from '../../src/lib/system-library.ts'
import { until } from '../e2e/until.ts'

const isLinux = process.platform === 'linux'
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1')

const serveAs = (name: string) => () =>
  Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(name) })

/** Another process has a socket so: open as long as one of them is. */
function copyOf(socket: number): number {
  const calls = openSystemLibrary({ dup: { args: ['i32'], returns: 'i32' } })
  return calls?.dup(socket) ?? -1
}

/** Connections that wait in the queue of a listening socket (state 0A). */
function waitingAt(port: number): number {
  const shown = port.toString(16).toUpperCase().padStart(4, '0')
  const line = new RegExp(`:${shown} 00000000:0000 0A [0-9A-F]+:([0-9A-F]+)`)
  const [, count = '0'] = line.exec(readFileSync('/proc/net/tcp', 'utf8')) ?? []
  return Number.parseInt(count, 16)
}

const ask = async (url: string) =>
  (await fetch(url, { headers: { connection: 'close' }, proxy: false })).text()

const codeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

describe.skipIf(!isLinux)('several listening sockets of one address', () => {
  test.each([
    ['127.0.0.1', ['http://127.0.0.1']],
    ['0.0.0.0', ['http://127.0.0.1']],
    ['localhost', ['http://localhost']],
    ...(hasIpv6
      ? ([
          ['::1', ['http://[::1]']],
          // With IPv4, too.
          ['::', ['http://[::1]', 'http://127.0.0.1']],
        ] as const)
      : []),
  ])('share out the connections to %s', async (host, bases) => {
    const { port, descriptors } = openListeningSockets({ host, port: 0 }, 2)
    const servers = descriptors.map((socket, i) => listenOnGiven(socket, serveAs(`server ${i}`)))
    try {
      for (const base of bases) {
        const answers = new Set<string>()
        for (let i = 0; i < 64; i++) answers.add(await ask(`${base}:${port}`))
        expect(answers).toEqual(new Set(['server 0', 'server 1']))
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop(true)))
    }
  })

  test('what waits while nobody serves is answered by the next one', async () => {
    const { port, descriptors } = openListeningSockets({ host: '127.0.0.1', port: 0 }, 1)
    const [socket = -1] = descriptors
    const url = `http://127.0.0.1:${port}`
    const waiting = Array.from({ length: 20 }, () => ask(url))
    await until('all are in the queue', () => waitingAt(port) === 20)
    const first = listenOnGiven(copyOf(socket), serveAs('first'))
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['first']))
    await first.stop(true)
    const later = Array.from({ length: 20 }, () => ask(url))
    await until('all are in the queue again', () => waitingAt(port) === 20)
    const second = listenOnGiven(copyOf(socket), serveAs('second'))
    expect(new Set(await Promise.all(later))).toEqual(new Set(['second']))
    await second.stop(true)
    closeSocket(socket)
  })

  test('a server that has stopped leaves nothing of its socket behind', async () => {
    const before = listeningDescriptors()
    const { descriptors } = openListeningSockets({ host: '127.0.0.1', port: 0 }, 1)
    const server = listenOnGiven(descriptors[0] ?? -1, serveAs('only'))
    expect(listeningDescriptors()).toHaveLength(before.length + 1)
    await server.stop(true)
    expect(listeningDescriptors()).toEqual(before)
  })

  test('an address that is in use is refused, also by others of its kind', async () => {
    const { port, descriptors } = openListeningSockets({ host: '127.0.0.1', port: 0 }, 2)
    expect(codeOf(() => openListeningSockets({ host: '127.0.0.1', port }, 2))).toBe('EADDRINUSE')
    descriptors.forEach(closeSocket)
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
    expect(codeOf(() => openListeningSockets({ host: '127.0.0.1', port }, 2))).toBe('EADDRINUSE')
    await new Promise((resolve) => other.close(resolve))
    const again = openListeningSockets({ host: '127.0.0.1', port }, 2)
    expect(again.port).toBe(port)
    again.descriptors.forEach(closeSocket)
  })

  test('errors have the codes of the system', () => {
    const open = (host: string, port: number) => () => openListeningSockets({ host, port }, 2)
    expect(codeOf(open('192.0.2.1', 0))).toBe('EADDRNOTAVAIL')
    expect(codeOf(open('no-such-host.invalid', 0))).toBe('ENOENT')
  })
})
