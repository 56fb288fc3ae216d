import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { expectError } from './contract/expected.ts'
import { allDialects, type Dialect } from './dialects.ts'
import {
  type Asked,
  clientsOf,
  keyOf,
  kinds,
  type Limited,
  press,
  startLimited,
  tokensOf,
} from './limited.ts'
import { rawCall } from './raw-client.ts'
import { until } from './until.ts'

// What a client is told of limits, places under 500 clients at once, and floods. Rates take more
// than a minute: limit-rates.test.ts.

/** Who is limited, by what, and which tokens with how many clients ask all the time. */
const places = {
  token: { concurrency: 5, tokens: ['own-place'], clients: 150 },
  account: { concurrency: 8, tokens: ['shared-place-1', 'shared-place-2'], clients: 150 },
  group: { concurrency: 12, tokens: ['grouped-place-1', 'grouped-place-2'], clients: 200 },
} as const

const plain = { account: 'plain', group: 'plain' }

/** Refuses at once. */
let strict: Limited
/** Lets requests wait. */
let patient: Limited

beforeAll(async () => {
  strict = await startLimited({
    tokens: [
      ...allDialects.flatMap(({ name }) => [
        { name: `${name}-rpm`, ...plain, limits: { rpm: 1 } },
        { name: `${name}-at-once`, ...plain, limits: { concurrency: 1 } },
      ]),
      { name: 'tpm', ...plain, limits: { tpm: 100 } },
      { name: 'flooded', ...plain, limits: { rpm: 30 } },
      { name: 'calm', account: 'calm', group: 'plain', limits: { rpm: 1_000_000 } },
    ],
  })
  patient = await startLimited({
    queueTime: '90s',
    tokens: [
      ...tokensOf(places, { concurrency: places.token.concurrency }),
      { name: 'queue', ...plain, limits: { concurrency: 1 } },
      { name: 'flooded', ...plain, limits: { concurrency: 1 } },
      { name: 'calm', account: 'calm', group: 'plain', limits: { rpm: 1_000_000 } },
    ],
    accounts: { shared: { concurrency: places.account.concurrency } },
    groups: { grouped: { concurrency: places.group.concurrency } },
  })
})
afterAll(async () => {
  await strict[Symbol.asyncDispose]()
  await patient[Symbol.asyncDispose]()
})

const p99 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN

const shapeOf = ({ name }: Dialect) =>
  name === 'chat' || name === 'responses' ? ('openai' as const) : name

describe('a 429', () => {
  const askAs = (token: string, dialect: Dialect) =>
    rawCall(strict.tollgate.port, {
      method: 'POST',
      path: dialect.path(false),
      headers: [
        ['authorization', `Bearer ${keyOf(token)}`],
        ['content-type', 'application/json'],
      ],
      body: JSON.stringify(dialect.request(false)),
    })

  test.each(allDialects.map((dialect) => [dialect.name, dialect] as const))(
    'has the shape of %s, the reason, and when to try again',
    async (name, dialect) => {
      expect((await askAs(`${name}-rpm`, dialect)).status).toBe(200)
      const limited = await askAs(`${name}-rpm`, dialect)
      expectError(limited, shapeOf(dialect), 'plain', {
        ...{ status: 429, reason: 'rate_limited', code: 'rate_limited' },
        says: /^This key may make 1 request a minute\. Try again in (60|5\d) s\.$/,
      })
      expect(limited.headers.get('retry-after')).toMatch(/^(60|5\d)$/)

      const token = `${name}-at-once`
      const client = await strict.client(token)
      const release = strict.hold(token)
      const first = client.ask()
      await until('the first is upstream', () => strict.inHand([token]) === 1)
      const second = await askAs(token, dialect)
      release()
      expectError(second, shapeOf(dialect), 'plain', {
        ...{ status: 429, reason: 'concurrency_limited', code: 'concurrency_limited' },
        says: /^This key may make 1 request at once\. Try again in 1 s\.$/,
      })
      expect(second.headers.get('retry-after')).toBe('1')
      expect((await first).status).toBe(200)
      expect((await askAs(token, dialect)).status).toBe(200)
    },
  )

  test('counts LLM tokens as they were used, not as they were estimated', async () => {
    using client = await strict.client('tpm')
    const statuses: number[] = []
    // Each is estimated to need some 30, and uses 5.
    for (let at = 0; at < 14; at++) statuses.push((await client.ask()).status)
    expect(statuses.slice(0, 12)).toEqual(Array(12).fill(200))
    let last = await client.ask()
    for (let at = 0; at < 10 && last.status === 200; at++) last = await client.ask()
    expect(last.status).toBe(429)
    expect(last.retryAfter).toBeGreaterThan(40)
  })
})

describe('places', () => {
  test('500 clients never have more than allowed, and never leave them empty', async () => {
    const clients = await Promise.all(
      kinds.map((kind) => clientsOf(patient, places[kind].tokens, places[kind].clients)),
    )
    const takeMs = (ms: number) => {
      for (const kind of kinds) for (const token of places[kind].tokens) patient.takeMs(token, ms)
    }
    takeMs(500)
    const endsAt = performance.now() + 6000
    const isOver = () => performance.now() >= endsAt
    const working = clients.flat().map((client) => press(client, isOver))
    const inHand = () => kinds.map((kind) => patient.inHand(places[kind].tokens))
    await until('all places are taken', () =>
      inHand().every((count, at) => count === places[kinds[at] ?? 'token'].concurrency),
    )
    const samples = kinds.map(() => [] as number[])
    while (performance.now() < endsAt) {
      for (const [at, count] of inHand().entries()) samples[at]?.push(count)
      await Bun.sleep(1)
    }
    takeMs(0)
    const asked = (await Promise.all(working)).flat()
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
    for (const [at, kind] of kinds.entries()) {
      const { concurrency } = places[kind]
      const found = samples[at] ?? []
      const share = found.reduce((sum, each) => sum + each, 0) / found.length / concurrency
      console.log(`${kind}: ${concurrency} places, ${(share * 100).toFixed(1)} % of them upstream`)
      expect(Math.max(...found)).toBe(concurrency)
      // The upstream does not see a request that is being settled, or that is on its way.
      expect(share).toBeGreaterThan(0.8)
    }
  })

  test('those who wait are let in as they came', async () => {
    patient.takeMs('queue', 20)
    const clients = await clientsOf(patient, ['queue'], 40)
    await clients[0]?.ask()
    const asking: Promise<Asked>[] = []
    for (const client of clients) {
      asking.push(client.ask())
      await Bun.sleep(10)
    }
    const asked = await Promise.all(asking)
    for (const client of clients) client[Symbol.dispose]()
    const numbers = asked.map(({ number }) => number)
    const arrived = [...patient.arrivedAt.keys()].filter((number) => numbers.includes(number))
    expect(arrived).toEqual(numbers)
  })
})

describe('a flood of one token', () => {
  /** Milliseconds of each request of the calm token, one after another. */
  async function calmMs(limited: Limited): Promise<number[]> {
    using client = await limited.client('calm')
    const found: number[] = []
    for (let at = 0; at < 300; at++) {
      const { status, sentAt, answeredAt } = await client.ask()
      expect(status).toBe(200)
      found.push(answeredAt - sentAt)
    }
    return found
  }

  function compare(what: string, without: readonly number[], beside: readonly number[]): void {
    const [before, after] = [p99(without), p99(beside)]
    console.log(`p99 of a calm token: ${before.toFixed(1)} ms, ${what} ${after.toFixed(1)} ms`)
    expect(after).toBeLessThan(5 * before + 50)
  }

  test('that is refused does not hold up another', async () => {
    await calmMs(strict)
    const without = await calmMs(strict)
    const clients = await clientsOf(strict, ['flooded'], 20)
    let isOver = false
    const flood = clients.map(async (client) => {
      while (!isOver) {
        await client.ask()
        await Bun.sleep(30)
      }
      client[Symbol.dispose]()
    })
    const beside = await calmMs(strict)
    isOver = true
    await Promise.all(flood)
    compare('beside a flood', without, beside)
  })

  test('that waits does not hold up another', async () => {
    await calmMs(patient)
    const without = await calmMs(patient)
    patient.takeMs('flooded', 200)
    const clients = await clientsOf(patient, ['flooded'], 400)
    const flood = clients.map((client) => client.ask().catch(() => undefined))
    await until('one of them is upstream', () => patient.inHand(['flooded']) === 1)
    const beside = await calmMs(patient)
    expect(patient.inHand(['flooded'])).toBeLessThanOrEqual(1)
    for (const client of clients) client[Symbol.dispose]()
    await Promise.all(flood)
    compare('beside 400 that wait', without, beside)
    // Those who left gave up their places in the queue, too.
    using again = await patient.client('flooded')
    expect((await again.ask()).status).toBe(200)
  })
})
