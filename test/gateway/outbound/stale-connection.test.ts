import { afterEach, expect, spyOn, test } from 'bun:test'
import { type Connections, createConnections } from '../../../src/gateway/outbound/connections.ts'
import { makeRoundTrip } from '../../../src/gateway/outbound/round-trip.ts'

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nOK'
const begun = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nO'

/** What an upstream does with each request of a connection: bytes that it sends, or an end instead. */
type Ways = readonly (readonly string[])[]
let upstream: Bun.TCPSocketListener<{ readonly at: number; asked: number }> | undefined
let opened = 0
afterEach(() => upstream?.stop(true))

function listen(ways: Ways): void {
  opened = 0
  upstream = Bun.listen<{ readonly at: number; asked: number }>({
    ...{ hostname: '127.0.0.1', port: 0 },
    socket: {
      open(socket) {
        socket.data = { at: opened++, asked: 0 }
      },
      data(socket, bytes) {
        expect(bytes.toString()).toEndWith('\r\n\r\n{"ask":1}')
        const way = ways[socket.data.at]?.[socket.data.asked++] ?? ''
        socket.write(way)
        if (way !== answer) socket.end()
      },
    },
  })
}

async function ask(connections: Connections, signal = new AbortController().signal) {
  const { status, body } = await makeRoundTrip(connections, {
    ...{ target: new URL(`http://127.0.0.1:${upstream?.port}/`), serverName: undefined },
    ...{ method: 'POST', headers: {}, body: Buffer.from('{"ask":1}'), signal },
    ...{ isPaced: false, memory: undefined },
  })
  const reader = body?.getReader()
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read());
  return status
}

test('a kept connection that ends without an answer is replaced by a new one', async () => {
  listen([[answer, ''], [answer]])
  const connections = createConnections()
  expect([await ask(connections), await ask(connections), opened]).toEqual([200, 200, 2])
})

test('once: the new one may fail', async () => {
  listen([[answer, ''], [''], [answer]])
  const connections = createConnections()
  await ask(connections)
  await expect(ask(connections)).rejects.toThrow('The upstream closed its connection')
  await ask(connections)
  expect(opened).toBe(3)
})

test('a new connection is not: the upstream may have worked', async () => {
  listen([[''], [answer]])
  await expect(ask(createConnections())).rejects.toThrow('The upstream closed its connection')
  expect(opened).toBe(1)
})

test('nor one that had begun to answer', async () => {
  listen([[answer, begun], [answer]])
  const connections = createConnections()
  await ask(connections)
  await expect(ask(connections)).rejects.toThrow('The upstream closed its connection')
  expect(opened).toBe(1)
})

test('nor one that ends later than an idle one would: the upstream may have worked', async () => {
  listen([[answer, ''], [answer]])
  const connections = createConnections()
  await ask(connections)
  const clock = spyOn(performance, 'now')
  try {
    clock.mockReturnValue(0)
    const late = ask(connections)
    clock.mockReturnValue(2_000)
    await expect(late).rejects.toThrow('The upstream closed its connection')
  } finally {
    clock.mockRestore()
  }
  expect(opened).toBe(1)
})

test('a client that leaves while a new one is opened is not answered', async () => {
  listen([[answer, ''], [answer]])
  const connections = createConnections()
  await ask(connections)
  const leaving = new AbortController()
  const open = connections.open
  const left = ask(
    {
      ...connections,
      open(peer, signal) {
        leaving.abort(new Error('left'))
        return open(peer, signal)
      },
    },
    leaving.signal,
  )
  await expect(left).rejects.toThrow('left')
})
