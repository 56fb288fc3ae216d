import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { freePort } from '../support/free-port.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { dialects } from './dialects.ts'
import { openRaw, type RawConnection, requestHead } from './raw-client.ts'
import { until } from './until.ts'

// One customer means harm; the other one is to notice nothing. Of 64 MB some 25 are for what strangers send,
// and three quarters of these for large bodies, each of which counts four times.

const mebibyte = 1_048_576
const { chat } = dialects
const otherKey = 'sk-other-0123456789abcdefghijklmnop'
const secondKey = 'sk-second-0123456789abcdefghijklmno'

let upstream: FakeUpstream
let tollgate: RunningBinary
let metricsPort: number
beforeAll(async () => {
  upstream = startFakeUpstream(() => jsonAnswer(chat.body({ input: 1, output: 1 })))
  metricsPort = await freePort()
  tollgate = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, balance: 10_000 },
        server: { memory: '64MiB', metrics: `127.0.0.1:${metricsPort}` },
        settings: { queue_time: '25s' },
        moreAccounts: [
          {
            ...{ email: 'other@example.com', balance: 10_000 },
            tokens: [otherKey, secondKey].map((key, at) => ({
              ...{ name: `other ${at}`, key, group: 'default' },
            })),
          },
        ],
      }),
  })
})
afterAll(async () => {
  await tollgate.stop()
  await upstream.stop()
})

/** The other customer's request. */
async function send(bytes: number): Promise<number> {
  const answer = await fetch(tollgate.url + chat.path(false), {
    ...{ method: 'POST', proxy: false },
    body: JSON.stringify(chat.request(false, 'a long question '.repeat(bytes / 16))),
    headers: { authorization: `Bearer ${otherKey}`, 'content-type': 'application/json' },
  })
  await answer.text()
  return answer.status
}

/** A figure of the metrics. */
async function figure(name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { proxy: false })
  return Number(new RegExp(`^tollgate_${name} (.*)$`, 'm').exec(await answer.text())?.[1])
}

/** Announces a body, and sends nothing of it. */
async function announce(bytes: number): Promise<RawConnection> {
  const connection = await openRaw(tollgate.port)
  const headers = [
    ['authorization', `Bearer ${testKey}`],
    ['content-length', String(bytes)],
  ] as const
  connection.socket.write(requestHead({ method: 'POST', path: chat.path(false), headers }))
  return connection
}

test('bodies that one customer announces and does not send leave memory for others', async () => {
  const open: RawConnection[] = []
  const allThere = () =>
    until(
      'all of them to be there',
      async () => (await figure('requests_in_flight')) === open.length,
    )
  try {
    for (const [count, bytes] of [
      [6, 1_000_000],
      [300, 100],
    ] as const) {
      for (let at = 0; at < count; at++) open.push(await announce(bytes))
      await allThere()
    }
    expect(await send(100)).toBe(200)
    expect(await send(100_000)).toBe(200)
  } finally {
    for (const { socket } of open) socket.destroy()
  }
  await until('all to be given back', async () => (await figure('memory_used_bytes')) === 0)
})

test('a body that drips is given up while others wait for its memory, and its connection is closed', async () => {
  using slow = await announce(2.5 * mebibyte)
  const drip = setInterval(() => slow.socket.write(' '), 100)
  try {
    expect(await send(1_000)).toBe(200)
    expect(await send(2.5 * mebibyte)).toBe(200)
    const answer = await slow.answer('POST')
    expect(answer.status).toBe(429)
    expect(answer.body).toContain('too slowly')
    await slow.closed
  } finally {
    clearInterval(drip)
  }
})

test('WebSockets are bounded for an account, not for each of its keys', async () => {
  const sockets: WebSocket[] = []
  const open = (key: string) => {
    const socket = new WebSocket(`${tollgate.url.replace('http', 'ws')}/v1/responses`, {
      headers: { authorization: `Bearer ${key}` },
    } as never)
    return new Promise<boolean>((resolve) => {
      socket.addEventListener('open', () => resolve(sockets.push(socket) > 0))
      socket.addEventListener('error', () => resolve(false))
    })
  }
  // A quarter of 25 MB, 2 MB each.
  for (const key of [otherKey, secondKey]) for (let at = 0; at < 3; at++) await open(key)
  expect(sockets.length).toBe(3)
  for (const socket of sockets) socket.close()
})
