import { afterAll, beforeAll, expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { startOwnTime } from '../support/own-time.ts'
import { speaksAt, upstreamKey } from '../support/tollgate-yaml.ts'
import { describeWithValkey, startValkey, type Valkey } from '../support/valkey.ts'
import { usual } from './clocked.ts'
import { type Running, type ServingOptions, startServing } from './serving.ts'

// Three whole gateways and one Valkey. Each has a database of its own here, made from one
// configuration, so that ids are the same: what is shared is what is counted.

const { chat } = dialects
let upstream: FakeUpstream
let valkey: Valkey

interface Gateways extends AsyncDisposable {
  readonly nodes: readonly Running[]
  /** Asks one of them. */
  ask(at: number, more?: object): Promise<Response>
}

async function startGateways(options: Partial<ServingOptions>): Promise<Gateways> {
  const nodes: Running[] = []
  await valkey.ask('FLUSHALL')
  for (let at = 0; at < 3; at++)
    nodes.push(await startServing({ upstream: upstream.url, counters: valkey.url, ...options }))
  return {
    nodes,
    ask: (at, more = {}) =>
      (nodes[at % 3] as Running).ask('/v1/chat/completions', {
        ...{ model: 'test-model', max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] },
        ...more,
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
    },
  }
}

/** How many answers there are of each status. */
async function statusesOf(answers: readonly Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const coming of answers) {
    const answer = await coming
    await answer.body?.cancel()
    counts[answer.status] = (counts[answer.status] ?? 0) + 1
  }
  return counts
}

/** How often a gateway logged that Valkey is unavailable. */
const awayIn = ({ complaints }: Running) =>
  complaints.filter((line) => line.includes('are unavailable')).length

describeWithValkey('three gateways with one Valkey', () => {
  beforeAll(async () => {
    upstream = startFakeUpstream(() => jsonAnswer(chat.body(usual)))
    valkey = await startValkey()
  })
  afterAll(async () => {
    await upstream.stop()
    await valkey.stop()
  })

  test('600 requests a minute are 600 in all, under parallel load', async () => {
    await using gateways = await startGateways({ group: { limits: { rpm: 600 } } })
    const counts = { passed: 0, refused: 0 }
    for (let round = 0; round < 9; round++) {
      const asked = Array.from({ length: 100 }, (_, at) => gateways.ask(at))
      const statuses = await statusesOf(asked)
      counts.passed += statuses[200] ?? 0
      counts.refused += statuses[429] ?? 0
    }
    expect(counts).toEqual({ passed: 600, refused: 300 })
    const refused = await gateways.ask(1)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(30, 61)
    expect(await refused.text()).toContain('may make 600 requests a minute')
  })

  test('a channel has its places once; requests wait in line for them on every node', async () => {
    let most = 0
    let now = 0
    upstream.handle(async () => {
      most = Math.max(most, ++now)
      await Bun.sleep(20)
      now--
      return jsonAnswer(chat.body(usual))
    })
    await using gateways = await startGateways({
      channel: { limits: { concurrency: 2 } },
      settings: { queue_time: '20s' },
    })
    const asked = Array.from({ length: 30 }, (_, at) => gateways.ask(at))
    expect(await statusesOf(asked)).toEqual({ 200: 30 })
    expect(most).toBe(2)
    upstream.handle(() => jsonAnswer(chat.body(usual)))
  })

  test('a conversation stays on its channel, whichever node it comes to', async () => {
    const other = startFakeUpstream(() => jsonAnswer(chat.body(usual)))
    await using gateways = await startGateways({
      group: { channels: ['main', 'other'] },
      moreChannels: [
        {
          ...{ name: 'other', speaks: speaksAt(other.url), api_key: upstreamKey },
          ...{ models: ['test-model'], allow_private: true },
        },
      ],
    })
    const talk = { prompt_cache_key: 'talk' }
    const before = { main: upstream.requests.length, other: other.requests.length }
    expect((await gateways.ask(0, talk)).status).toBe(200)
    await until('others to be told', async () => String(await valkey.ask('KEYS', '*:home:*')))
    for (let at = 1; at < 12; at++) expect((await gateways.ask(at, talk)).status).toBe(200)
    const homes = [upstream.requests.length - before.main, other.requests.length - before.other]
    expect(homes.toSorted((a, b) => a - b)).toEqual([0, 12])
    await other.stop()
  })

  test('stopped and started under load: no request fails or waits for it', async () => {
    await using gateways = await startGateways({
      group: { limits: { rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 1_000 } },
    })
    let isOver = false
    let asked = 0
    let longestMs = 0
    using time = startOwnTime()
    const statuses = new Set<number>()
    const load = Array.from({ length: 9 }, async (_, worker) => {
      while (!isOver) {
        const startMs = time.now()
        const answer = await gateways.ask(worker)
        await answer.arrayBuffer()
        longestMs = Math.max(longestMs, time.now() - startMs)
        statuses.add(answer.status)
        asked++
      }
    })
    const allTold = (times: number) =>
      until('all to notice', () => gateways.nodes.every((node) => awayIn(node) === times))
    await Bun.sleep(300)
    await valkey.stop()
    await allTold(1)
    await Bun.sleep(600)
    await valkey.start()
    await until('all to be back', async () => (await valkey.ask('ZCARD', 'tollgate:nodes')) === 3)
    await Bun.sleep(300)
    valkey.freeze()
    await allTold(2)
    await Bun.sleep(600)
    valkey.thaw()
    await Bun.sleep(600)
    isOver = true
    await Promise.all(load)
    expect([...statuses]).toEqual([200])
    expect(asked).toBeGreaterThan(200)
    expect(longestMs).toBeLessThan(1_000)
    expect(gateways.nodes.map(awayIn)).toEqual([2, 2, 2])
  })
})
