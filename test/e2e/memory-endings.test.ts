import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { freePort } from '../support/free-port.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { dialects } from './dialects.ts'
import { openRaw, requestHead } from './raw-client.ts'
import { until } from './until.ts'

// However a request ends, in whatever way its body comes: what it took is given back, and so is its place.

const { chat, messages } = dialects
let upstream: FakeUpstream
let tollgate: RunningBinary
let metricsPort: number
let hold = Promise.withResolvers<void>()
/** How the upstream answers. */
let answers: (body: string) => Response | Promise<Response>
const well = (body: string) =>
  body.includes('"stream":true')
    ? new Response(chat.first({ input: 1, output: 1 }) + chat.last({ input: 1, output: 1 }), sse)
    : jsonAnswer(chat.body({ input: 1, output: 1 }))
const sse = { headers: { 'content-type': 'text/event-stream' } }

beforeAll(async () => {
  metricsPort = await freePort()
  upstream = startFakeUpstream(({ body }) => answers(new TextDecoder().decode(body)))
  tollgate = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, balance: 10_000 },
        server: { memory: '256MiB', max_requests: 4, metrics: `127.0.0.1:${metricsPort}` },
        settings: { channel_cooling: false },
      }),
  })
})
afterAll(async () => {
  hold.resolve()
  await tollgate.stop()
  await upstream.stop()
})

async function figure(name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { proxy: false })
  return Number(new RegExp(`^tollgate_${name} (.*)$`, 'm').exec(await answer.text())?.[1])
}

type Sent = string | Uint8Array
/** How a body is sent. */
const ways: Readonly<Record<string, (body: Sent) => { body: Sent; headers: [string, string][] }>> =
  {
    whole: (body) => ({ body, headers: [['content-length', String(Buffer.byteLength(body))]] }),
    'in pieces': (body) => ({
      body: Buffer.concat([
        Buffer.from(`${Buffer.byteLength(body).toString(16)}\r\n`),
        Buffer.from(body),
        Buffer.from('\r\n0\r\n\r\n'),
      ]),
      headers: [['transfer-encoding', 'chunked']],
    }),
    compressed(body) {
      const bytes = gzipSync(body)
      return {
        body: bytes,
        headers: [
          ['content-length', String(bytes.length)],
          ['content-encoding', 'gzip'],
        ],
      }
    },
  }

const silent = async () => {
  await hold.promise
  return well('')
}
const dripping = () =>
  new Response(
    async function* () {
      yield chat.first({ input: 1, output: 1 })
      await hold.promise
    } as never,
    sse,
  )
const broken = () =>
  new Response(
    async function* () {
      yield chat.first({ input: 1, output: 1 })
      throw new Error('broken')
    } as never,
    sse,
  )

interface Ending {
  readonly answers?: typeof answers
  readonly body?: Sent
  readonly path?: string
  readonly key?: string
  readonly stream?: boolean
  /** The client leaves when this much of its body is sent, or, `asked`, when the upstream has it. */
  readonly leaves?: number | 'asked'
}
const unknown = JSON.stringify({ ...chat.request(false), model: 'nobody-has-it' })
const endings: Readonly<Record<string, Ending>> = {
  answered: {},
  streamed: { stream: true },
  translated: { path: messages.path(false), body: JSON.stringify(messages.request(false)) },
  'no JSON': { body: '{"model":'.padEnd(300_000) },
  'no such model': { body: unknown },
  'no such key': { key: 'sk-nobody-0123456789abcdefghijklmn' },
  'refused upstream': {
    answers: () => new Response('{"error":{"message":"no"}}', { status: 400 }),
  },
  'failed upstream': { answers: () => new Response('no', { status: 500 }) },
  'nonsense upstream': { answers: () => new Response('nonsense') },
  'broken stream': { answers: broken, stream: true },
  'left at once': { leaves: 0 },
  'left in mid-body': { leaves: 0.5 },
  'left with the last byte': { leaves: 1 },
  'left while the upstream thinks': { answers: silent, leaves: 'asked' },
  'left in mid-stream': { answers: dripping, stream: true, leaves: 'asked' },
}
const cases = Object.entries(endings).flatMap(([name, ending]) =>
  Object.keys(ways).map((way) => [name, way, ending] as const),
)

test.each(cases)('%s, %s', async (_, way, ending) => {
  hold = Promise.withResolvers()
  answers = ending.answers ?? well
  upstream.clear()
  const { stream = false, leaves, key = testKey } = ending
  // Text that does not repeat itself: what is compressed too well is refused.
  const question = Array.from({ length: 15_000 }, (_, at) => Math.sin(at)).join(' ')
  const sent = ways[way]?.(ending.body ?? JSON.stringify(chat.request(stream, question)))
  if (sent === undefined) throw new Error(`No way ${way}.`)
  // Twice as many as there are places.
  for (let round = 0; round < 8; round++) {
    using client = await openRaw(tollgate.port)
    const path = ending.path ?? chat.path(stream)
    const headers = [['authorization', `Bearer ${key}`] as const, ...sent.headers]
    client.socket.write(requestHead({ method: 'POST', path, headers }))
    const part = typeof leaves === 'number' ? leaves : 1
    client.socket.write(Buffer.from(sent.body).subarray(0, part * Buffer.byteLength(sent.body)))
    if (leaves === 'asked') {
      await until('the upstream to be asked', () => upstream.requests.length > round)
      client.socket.destroy()
    } else if (leaves !== undefined) client.socket.destroy()
    else expect(await client.received('HTTP/1.1 ')).toBeUndefined()
    if (leaves === undefined) continue
    hold.resolve()
    await until('it to end', async () => (await figure('requests_in_flight')) === 0)
    hold = Promise.withResolvers()
  }
  hold.resolve()
  await until('all to be given back', async () => (await figure('memory_used_bytes')) === 0)
  answers = well
  const last = await fetch(tollgate.url + chat.path(false), {
    ...{ method: 'POST', proxy: false, body: JSON.stringify(chat.request(false)) },
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
  })
  await last.text()
  expect(last.status).toBe(200)
})
