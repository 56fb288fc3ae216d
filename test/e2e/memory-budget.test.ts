import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { endpoints } from './contract/endpoints.ts'
import { expectError } from './contract/expected.ts'
import { dialects } from './dialects.ts'
import { openRaw, type RawAnswer, requestHead } from './raw-client.ts'
import { until } from './until.ts'

// Of 128 MB some 51 are for what strangers send, and three quarters of these for large bodies, each of
// which counts four times: one of 6 MB at a time, and none of 10.

const mebibyte = 1_048_576
const { chat } = dialects
const otherKey = 'sk-other-0123456789abcdefghijklmnop'

let upstream: FakeUpstream
let tollgate: RunningBinary
/** What answers have beside their words. */
let answerBytes = 0
/** Large requests are answered when this is told to. */
let hold = Promise.withResolvers<void>()
beforeAll(async () => {
  upstream = startFakeUpstream(async ({ body }) => {
    if (body.byteLength > mebibyte) await hold.promise
    const answer = chat.body({ input: 1, output: 1 })
    return jsonAnswer({ ...answer, system_fingerprint: 'x'.repeat(answerBytes) })
  })
  tollgate = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, balance: 10_000 },
        server: { memory: '128MiB' },
        moreAccounts: [
          {
            ...{ email: 'other@example.com', balance: 10_000 },
            tokens: [{ name: 'other', key: otherKey, group: 'default' }],
          },
        ],
      }),
  })
})
afterAll(async () => {
  hold.resolve()
  await tollgate.stop()
  await upstream.stop()
})

const textOf = (bytes: number) =>
  JSON.stringify(chat.request(false, 'a long question '.repeat(bytes / 16)))
const small = JSON.stringify(chat.request(false))

async function send(body: Bun.BodyInit, headers: Record<string, string> = {}, key = testKey) {
  const answer = await fetch(tollgate.url + chat.path(false), {
    ...{ method: 'POST', body, proxy: false },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  })
  return { status: answer.status, headers: answer.headers, body: await answer.text() }
}

/** Large requests that the upstream has got and does not answer yet. */
const arrived = (count: number) =>
  until('the upstream to be asked', () => upstream.requests.length === count)

function begin(): void {
  hold = Promise.withResolvers()
  upstream.clear()
}

test('a large body waits for the memory of another one, and small ones pass it', async () => {
  begin()
  const first = send(textOf(6 * mebibyte))
  await arrived(1)
  const second = send(textOf(6 * mebibyte), {}, otherKey)
  expect((await send(small)).status).toBe(200)
  await arrived(2) // the small one: the second large one is not sent on
  hold.resolve()
  expect([(await first).status, (await second).status]).toEqual([200, 200])
})

const unstreamed = Object.values(endpoints).filter(
  ({ method, body }) => method === 'POST' && body !== undefined,
)

test('who waits in vain gets 429 in his protocol, behind the check of his key', async () => {
  begin()
  const first = send(textOf(6 * mebibyte))
  await arrived(1)
  const ask = async (headers: readonly (readonly [string, string])[], path: string) => {
    using connection = await openRaw(tollgate.port)
    const length = ['content-length', String(6 * mebibyte)] as const
    connection.socket.write(requestHead({ method: 'POST', path, headers: [...headers, length] }))
    return await connection.answer('POST', 20_000)
  }
  const stranger = await ask([['authorization', 'Bearer sk-nobody']], chat.path(false))
  expect(stranger.status).toBe(401)
  const refused = await Promise.all(
    unstreamed.map(async ({ path, headers = [], shape, keyShape }) => {
      const key = [['authorization', `Bearer ${otherKey}`] as const, ...headers]
      return { answer: await ask(key, path('test-model')), shape, keyShape }
    }),
  )
  for (const { answer, shape, keyShape } of refused) {
    expectError(answer as RawAnswer, shape, keyShape, {
      ...{ status: 429, reason: 'overloaded', code: 'overloaded', says: /memory of this gateway/ },
    })
    expect(answer.headers.get('retry-after')).toBe('2')
  }
  hold.resolve()
  expect((await first).status).toBe(200)
})

test('a body for which there is never room is refused, and told what would have to be raised', async () => {
  for (const body of [textOf(12 * mebibyte), new Blob([textOf(12 * mebibyte)]).stream()]) {
    const answer = await send(body as Bun.BodyInit)
    expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([
      413,
      'body_too_large',
    ])
    expect(answer.body).toMatch(/larger than 9MiB.*server\.memory/)
  }
})

test('so is one that would take too much to be read, with all its values', async () => {
  const many = JSON.stringify(chat.request(false)).replace(
    '{',
    `{"user":[${'1,'.repeat(200_000)}1],`,
  )
  const answer = await send(many)
  expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([413, 'body_too_large'])
  expect(answer.body).toContain('server.memory')
})

test('what was taken is given back, however a request ends', async () => {
  begin()
  hold.resolve()
  for (let round = 0; round < 3; round++) {
    using left = await openRaw(tollgate.port)
    const headers = [
      ['authorization', `Bearer ${testKey}`],
      ['content-length', String(6 * mebibyte)],
    ] as const
    left.socket.write(requestHead({ method: 'POST', path: chat.path(false), headers }))
    left.socket.write('{"model":"test-model"'.padEnd(mebibyte))
    left.socket.destroy()
    expect((await send(textOf(6 * mebibyte))).status).toBe(200)
    expect((await send('{'.padEnd(2 * mebibyte))).status).toBe(400)
    expect((await send(gzipSync(textOf(100_000)), { 'content-encoding': 'gzip' })).status).toBe(200)
    expect((await send(gzipSync(textOf(100_000)), { 'content-encoding': 'br' })).status).toBe(400)
    const inPieces = new Blob([textOf(6 * mebibyte)]).stream()
    expect((await send(inPieces as unknown as Bun.BodyInit)).status).toBe(200)
  }
})

test('half-sent messages of one key are bounded: they are as many as there is memory for', async () => {
  const sockets: WebSocket[] = []
  const open = () => {
    const socket = new WebSocket(`${tollgate.url.replace('http', 'ws')}/v1/responses`, {
      headers: { authorization: `Bearer ${testKey}` },
    } as never)
    return new Promise<boolean>((resolve) => {
      socket.addEventListener('open', () => resolve(sockets.push(socket) > 0))
      socket.addEventListener('error', () => resolve(false))
    })
  }
  // A quarter of 51 MB, 2 MB each.
  while (sockets.length < 20 && (await open()));
  expect(sockets.length).toBe(6)
  const [first] = sockets
  const closed = new Promise((resolve) => first?.addEventListener('close', resolve))
  first?.send('x'.repeat(2 * mebibyte + 1))
  await closed
  for (const socket of sockets) socket.close()
})

test('a whole answer takes of the same memory; one for which there is none is told as too long', async () => {
  answerBytes = 6 * mebibyte
  const whole = await send(small)
  expect([whole.status, whole.body.length > answerBytes]).toEqual([200, true])
  answerBytes = 12 * mebibyte
  expect((await send(small)).status).toBe(502)
  answerBytes = 0
  expect((await send(textOf(6 * mebibyte))).status).toBe(200)
})
