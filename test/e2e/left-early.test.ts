import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type RunningBinary, runBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { ask, readUntil, requestIdOf } from './caller.ts'
import { allDialects, costNano, type Dialect } from './dialects.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { dialectOf, keyOn, pairs, startTranslating } from './translated.ts'
import { until } from './until.ts'

// Who leaves early owes what the vendor bills. Of a model that may reason, and of images, nobody can
// see that on the way: the upstream is read to its end, and if that fails the reservation is charged.

/** Most of it is reasoning, of which the stream shows nothing. */
const tokens = { input: 1000, output: 5000 }
const timeouts = { total: '1s' }
const hurriedKey = 'sk-test-hurried-0123456789abcdefghij'

let upstream: FakeUpstream
let gateway: RunningBinary
let ledger: Ledger

beforeAll(async () => {
  upstream = startFakeUpstream(() => jsonAnswer({}))
  gateway = await startTranslating(upstream.url, {
    token: { limits: { concurrency: 1 } },
    hurried: { timeouts, key: hurriedKey },
  })
  ledger = openLedger(gateway.cwd)
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

type Ending = 'ends' | 'breaks' | 'never ends'

/** A stream that begins, and goes on when it may. */
function stream(begun: string, go: Promise<void>, ending: Ending, last: string): Response {
  const encode = (text: string) => new TextEncoder().encode(text)
  async function* body() {
    yield encode(begun)
    await go
    if (ending === 'breaks') throw new Error('The upstream breaks its stream.')
    if (ending === 'never ends') await new Promise(() => {})
    yield encode(last)
  }
  const headers = { 'content-type': 'text/event-stream' }
  return new Response(body() as unknown as Bun.BodyInit, { headers })
}

/** Plays a request whose client leaves at some moment; gives its record, and what was set aside for it. */
async function leave(
  dialect: Dialect,
  {
    ending = 'ends' as Ending,
    said = '',
    isStream = true,
    when = 'begun' as 'begun' | 'asked',
    key = testKey,
    answer = undefined as undefined | (() => Response),
  } = {},
) {
  const go = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  upstream.handle(async (request) => {
    asked.resolve()
    const spoken = dialectOf(request)
    if (when === 'asked') await go.promise
    if (answer) return answer()
    if (!isStream) {
      if (ending === 'never ends') await new Promise(() => {})
      return jsonAnswer(spoken.body(tokens))
    }
    const begun = spoken.first(tokens) + (said && spoken.piece(said))
    return stream(begun, go.promise, ending, spoken.last(tokens))
  })
  const before = (await ledger.records()).length
  const leaving = new AbortController()
  const asking = ask(gateway.url, dialect, isStream, { signal: leaving.signal, key })
  await asked.promise
  if (when === 'begun') {
    // The last character of a translated Gemini answer waits for its end.
    const heard = dialect.name === 'gemini' ? said.slice(0, -1) : said
    await readUntil(await asking, (text) => (said === '' ? text !== '' : text.includes(heard)))
  }
  const [held] = await until('the reservation', async () => {
    const all = await ledger.reservations()
    return all.length > 0 && all
  })
  leaving.abort()
  await asking.catch(() => {})
  await Bun.sleep(200) // time in which the upstream would be let go, if it were
  go.resolve()
  const record = await until('the record', async () => (await ledger.records())[before])
  expect(record.ending).toBe('client_left')
  expect(record.charged_nano).toBe(record.amount_nano === 0 ? null : -record.amount_nano)
  return { record, heldNano: held?.amount_nano ?? 0 }
}

/** Charged as the upstream has told it at its end. */
const asTold = {
  ...{ estimated: 0, input_tokens: tokens.input, output_tokens: tokens.output },
  amount_nano: costNano(tokens),
}

/**
 * Charged with all that was set aside, to the token. Under a lease its amount is in no reservation: then with more
 * than its input.
 */
function expectReservation({ record, heldNano }: Awaited<ReturnType<typeof leave>>): void {
  expect(record.estimated).toBe(1)
  // Messages tells what its input was, which is more than anyone could reckon with.
  const leastNano = record.input_tokens === tokens.input ? costNano({ input: 1000, output: 0 }) : 0
  if (heldNano === 0) expect(record.amount_nano).toBeGreaterThan(costNano({ ...tokens, output: 0 }))
  else expect(record.amount_nano).toBeWithin(heldNano - 2_000, heldNano + leastNano + 1)
}

describe.each(allDialects)('A6: $name', (dialect) => {
  test('left while it reasons: the reasoning is charged', async () => {
    const { record } = await leave(dialect)
    expect(record).toMatchObject(asTold)
  })

  test('left in the middle of its text: the reasoning is charged', async () => {
    const { record } = await leave(dialect, { said: 'Hello' })
    expect(record).toMatchObject(asTold)
  })

  test('left before the head of its answer', async () => {
    const { record } = await leave(dialect, { when: 'asked' })
    expect(record).toMatchObject(asTold)
  })

  test('left before an answer that comes whole', async () => {
    const { record } = await leave(dialect, { when: 'asked', isStream: false })
    expect(record).toMatchObject(asTold)
  })

  test('left, and the upstream breaks off: what was set aside is charged', async () => {
    expectReservation(await leave(dialect, { said: 'Hello', ending: 'breaks' }))
  })

  test('left, and the upstream never ends: the same, when the time of its channel is over', async () => {
    const hurried = { key: hurriedKey, ending: 'never ends' } as const
    const [streamed, whole] = [
      await leave(dialect, { ...hurried, said: 'Hello' }),
      await leave(dialect, { ...hurried, isStream: false, when: 'asked' }),
    ]
    expectReservation(streamed)
    expectReservation(whole)
  })

  test.each([400, 500])('left, and the upstream answers %d: nothing is charged', async (status) => {
    const answer = () => jsonAnswer({ error: { message: 'no', type: 'none' } }, status)
    const go = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    upstream.handle(async () => {
      asked.resolve()
      await go.promise
      return answer()
    })
    const before = (await ledger.records()).length
    const leaving = new AbortController()
    const asking = ask(gateway.url, dialect, true, { signal: leaving.signal })
    await asked.promise
    leaving.abort()
    await asking.catch(() => {})
    go.resolve()
    const record = await until('the record', async () => (await ledger.records())[before])
    expect(record).toMatchObject({ amount_nano: 0, charged_nano: null })
  })
})

test.each(pairs)('A6: $name: left while it reasons', async ({ client, upstream: speaks }) => {
  const { record } = await leave(client, { key: keyOn(speaks), said: 'Hello' })
  expect(record).toMatchObject(asTold)
})

test('who has left keeps its place until the upstream has ended', async () => {
  const [dialect] = allDialects as [Dialect]
  const key = keyOn(dialect)
  const go = Promise.withResolvers<void>()
  upstream.handle(() => stream(dialect.first(tokens), go.promise, 'ends', dialect.last(tokens)))
  const leaving = new AbortController()
  const answer = await ask(gateway.url, dialect, true, { key, signal: leaving.signal })
  leaving.abort()
  const second = await ask(gateway.url, dialect, true, { key })
  expect([second.status, second.headers.get('x-tollgate-reason')]).toEqual([
    429,
    'concurrency_limited',
  ])
  go.resolve()
  await until('its record', () => ledger.record(requestIdOf(answer)))
})

test('A6: images: left behind a partial one, the whole is charged', async () => {
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
  const partial = event({ type: 'image_generation.partial_image', b64_json: 'AAAA' })
  const usage = { input_tokens: 50, output_tokens: 6000, total_tokens: 6050 }
  const last = event({ type: 'image_generation.completed', b64_json: 'BBBB', usage })
  const go = Promise.withResolvers<void>()
  upstream.handle(() => stream(partial, go.promise, 'ends', last))
  const leaving = new AbortController()
  const answer = await fetch(`${gateway.url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test-model', prompt: 'a cat', stream: true, partial_images: 3 }),
    ...{ signal: leaving.signal, keepalive: false },
  })
  await readUntil(answer, (text) => text.includes('AAAA'))
  leaving.abort()
  await Bun.sleep(200) // time in which the upstream would be let go, if it were
  go.resolve()
  const record = await until('the record', () => ledger.record(requestIdOf(answer)))
  const amount_nano = costNano({ input: 50, output: 6000 })
  expect(record).toMatchObject({ ending: 'client_left', estimated: 0, amount_nano })
})

test('its receipt says why, in a sentence; verify finds nothing', async () => {
  const config = join(gateway.cwd, 'tollgate.yaml')
  const run = async (...args: string[]) => {
    const { stdout } = await runBinary([...args, '--config', config], { cwd: gateway.cwd })
    return stdout
  }
  const [dialect] = allDialects as [Dialect]
  const read = await leave(dialect, { said: 'Hello' })
  expect(await run('receipt', read.record.request_id)).toContain('read to its end')
  const lost = await leave(dialect, { said: 'Hello', ending: 'breaks' })
  expect(await run('receipt', lost.record.request_id)).toContain('reserved for the request')
  const proof = await runBinary(['verify', '--config', config], { cwd: gateway.cwd })
  expect(proof.exitCode, proof.stdout).toBe(0)
})

test('each of them is logged once', () => {
  const logged = gateway.stdout
    .filter((line) => line.includes('"message":"request"'))
    .map((line) => (JSON.parse(line) as { request_id: string }).request_id)
  expect(logged.length).toBeGreaterThan(10)
  expect(logged.filter((id, at) => logged.indexOf(id) !== at)).toEqual([])
})
