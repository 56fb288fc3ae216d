import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { GatewayError } from '../../../src/gateway/errors.ts'
import type { Limiter, Permit, Subject } from '../../../src/gateway/limits/limiter.ts'
import { createSharedLimiter } from '../../../src/gateway/limits/shared-limiter.ts'
import { nameOf } from '../../../src/gateway/limits/shared-lines.ts'
import { createLogger } from '../../../src/lib/log.ts'
import type { Counters } from '../../../src/store/ports/counters.ts'
import { openValkeyCounters } from '../../../src/store/valkey/counters.ts'
import { startOwnTime } from '../../support/own-time.ts'
import {
  describeWithValkey,
  freshPrefix,
  leaseLeftMs,
  startValkey,
  type Valkey,
} from '../../support/valkey.ts'
import { subject } from './limit-scene.ts'

let valkey: Valkey
let ends: (() => Promise<void> | void)[] = []
const tick = () => performance.now()

interface Node {
  readonly limiter: Limiter
  readonly counters: Counters
  /** It ends without a word, as if it was killed. */
  readonly kill: () => void
}

/** Nodes of one gateway, each with a connection of its own. */
async function startNodes(count: number, { url = valkey.url, leaseMs = 2_000 } = {}) {
  const prefix = freshPrefix()
  const lines: string[] = []
  const log = createLogger({
    ...{ sink: (line: string) => void lines.push(line), pretty: false, clock: Date.now },
    level: 'info',
  })
  // The one that tests share is never away, however long a machine lets it wait.
  const patienceMs = url === valkey.url ? 5_000 : undefined
  const nodes: Node[] = []
  for (let at = 0; at < count; at++) {
    const timers: (() => void)[] = []
    const repeat = (task: () => void, everyMs: number) => {
      const timer = setInterval(task, everyMs)
      timers.push(() => clearInterval(timer))
      return () => clearInterval(timer)
    }
    const counters = await openValkeyCounters({ url, log, prefix, leaseMs, patienceMs, repeat })
    const limiter = createSharedLimiter(counters, tick, repeat)
    nodes.push({
      limiter,
      counters,
      kill() {
        for (const stop of timers) stop()
      },
    })
    ends.push(() => {
      limiter.stop()
      return counters.close()
    })
  }
  await until(() => nodes.every(({ counters }) => counters.nodes() === count))
  const nodeAt = (at: number) => nodes[at % count] as Node
  return { nodes, nodeAt, lines, prefix }
}

async function until(holds: () => boolean, limitMs = 60_000): Promise<void> {
  for (const end = tick() + limitMs; !holds(); await Bun.sleep(5))
    if (tick() > end) throw new Error('It did not come about in time.')
}

/** The permit, or the refusal. */
async function ask(
  { limiter }: Node,
  subjects: readonly Subject[],
  { llmTokens = 0, waitMs = 0, signal = new AbortController().signal } = {},
): Promise<Permit | GatewayError> {
  try {
    return await limiter.acquire(subjects, llmTokens, { waitMs, signal })
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

/** What nodes had to tell has arrived: connections keep the order of what goes over them. */
async function told(...nodes: readonly Node[]): Promise<void> {
  await new Promise(setImmediate) // they tell at the end of a turn
  await Promise.all(nodes.map(({ counters }) => counters.get('nothing')))
}

const isIn = (found: Permit | GatewayError): found is Permit => !(found instanceof GatewayError)
const permitsIn = (all: readonly (Permit | GatewayError)[]) => all.filter(isIn)

function letIn(found: Permit | GatewayError): Permit {
  if (isIn(found)) return found
  throw found
}

describeWithValkey('limits that nodes share', () => {
  beforeAll(async () => {
    valkey = await startValkey()
  })
  afterEach(async () => {
    await Promise.all(ends.map((end) => end()))
    ends = []
  })
  afterAll(() => valkey.stop())

  test('600 requests a minute over three nodes are 600, whoever asks where and when', async () => {
    const { nodeAt } = await startNodes(3, { leaseMs: 800 })
    const all = ['token', 'account', 'group'] as const
    const subjects = all.map((kind) => subject(kind, { rpm: 600, tpm: 1e6, concurrency: 1000 }))
    let passed = 0
    for (let round = 0; round < 20; round++) {
      const asked = Array.from({ length: 150 }, (_, at) => ask(nodeAt(at), subjects))
      for (const permit of permitsIn(await Promise.all(asked))) {
        passed++
        permit.used(10)
        permit.release()
      }
      await Bun.sleep(50)
    }
    expect(passed).toBe(600)
    const refused = await ask(nodeAt(1), subjects)
    if (isIn(refused)) throw new Error('it was let in')
    expect(refused.kind).toBe('rate_limited')
    expect(refused.message).toMatch(/^This key may make 600 requests a minute\. Try again in 5\d s/)
    expect(refused.details.retryAfter).toBeWithin(50, 61)
  })

  test('a request with all limits costs one call to be let in and one to end; without, none', async () => {
    const own = await startValkey()
    const { nodeAt } = await startNodes(1, { url: own.url, leaseMs: 60_000 })
    const calls = async (): Promise<number> => {
      const told = String(await own.ask('INFO', 'commandstats'))
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(told)?.[1] ?? 0)
    }
    const subjects = [
      subject('token', { rpm: 600, tpm: 1e6, concurrency: 9 }),
      subject('group', { rpm: 9e3 }),
    ]
    const before = await calls()
    for (let at = 0; at < 20; at++) {
      const permit = letIn(await ask(nodeAt(0), subjects, { llmTokens: 5 }))
      permit.used(7)
      permit.release()
      await Promise.resolve()
    }
    letIn(await ask(nodeAt(0), [subject('token', {})])).release()
    await told(nodeAt(0))
    expect((await calls()) - before).toBe(40)
    await Promise.all(ends.map((end) => end()))
    ends = []
    await own.stop()
  })

  test('LLM tokens count as estimated, then as used, on all nodes', async () => {
    const { nodeAt } = await startNodes(2)
    const key = [subject('token', { tpm: 100 })]
    const first = letIn(await ask(nodeAt(0), key, { llmTokens: 90 }))
    expect(isIn(await ask(nodeAt(1), key, { llmTokens: 20 }))).toBeFalse()
    first.used(40)
    await told(nodeAt(0), nodeAt(1))
    const second = letIn(await ask(nodeAt(1), key, { llmTokens: 60 }))
    second.used(70)
    await told(nodeAt(0), nodeAt(1))
    expect(isIn(await ask(nodeAt(0), key, { llmTokens: 1 }))).toBeFalse()
    second.undo()
    await told(nodeAt(1))
    expect(isIn(await ask(nodeAt(0), key, { llmTokens: 50 }))).toBeTrue()
  })

  test('channels are entered at once or not at all, on all nodes', async () => {
    const { nodeAt } = await startNodes(2)
    const channel = subject('channel', { concurrency: 1 })
    const first = await nodeAt(0).limiter.tryAcquire(channel, 0)
    expect(await nodeAt(1).limiter.tryAcquire(channel, 0)).toMatchObject({
      ...{ limit: 'concurrency', retryAfterMs: 1000, subject: channel },
    })
    expect(nodeAt(1).limiter.peek(channel, 0)).toMatchObject({ limit: 'concurrency' })
    if ('release' in first) first.release()
    await told(nodeAt(0))
    expect(await nodeAt(1).limiter.tryAcquire(channel, 0)).toHaveProperty('release')
  })

  test('who waits is let in in order, when a place becomes free here or elsewhere', async () => {
    const { nodeAt } = await startNodes(2)
    const key = [subject('token', { concurrency: 1 })]
    const first = letIn(await ask(nodeAt(0), key))
    const order: number[] = []
    const waiting = Array.from({ length: 4 }, async (_, at) => {
      const permit = letIn(await ask(nodeAt(1), key, { waitMs: 5_000 }))
      order.push(at)
      await Bun.sleep(2)
      permit.release()
    })
    await Bun.sleep(50)
    // Whoever does not wait does not overtake them.
    expect(isIn(await ask(nodeAt(1), key))).toBeFalse()
    first.release()
    using time = startOwnTime()
    await Promise.all(waiting)
    expect(order).toEqual([0, 1, 2, 3])
    // Only the first had to find out by asking again: the others were told by the one before.
    expect(time.now()).toBeLessThan(300)
  })

  test('who waits may leave, and is refused when its time is over', async () => {
    const { nodeAt } = await startNodes(1)
    const key = [subject('token', { concurrency: 1 })]
    const first = letIn(await ask(nodeAt(0), key))
    const leaving = new AbortController()
    const gone = ask(nodeAt(0), key, { waitMs: 5_000, signal: leaving.signal })
    const late = ask(nodeAt(0), key, { waitMs: 120 })
    setTimeout(() => leaving.abort('left'), 30)
    await expect(gone).rejects.toBe('left')
    const refused = await late
    expect(refused).toMatchObject({ kind: 'concurrency_limited' })
    first.release()
    await Bun.sleep(20)
    expect(isIn(await ask(nodeAt(0), key))).toBeTrue()
  })

  test('slots of a node that was killed return within their lease, and others do not', async () => {
    const leaseMs = 1_000
    const { nodes, nodeAt, prefix } = await startNodes(2, { leaseMs })
    const token = subject('token', { concurrency: 10 })
    const key = [token]
    const asked = Array.from({ length: 10 }, (_, at) => ask(nodeAt(at < 6 ? 0 : 1), key))
    const permits = permitsIn(await Promise.all(asked))
    expect(permits).toHaveLength(10)
    nodes[0]?.kill()
    const slots = `${prefix}:slots:${nameOf(token)}`
    expect(await leaseLeftMs(valkey, slots)).toBeWithin(1, leaseMs + 1)
    expect(isIn(await ask(nodeAt(1), key))).toBeFalse()
    for (let freed = 0; freed < 6; ) {
      if (isIn(await ask(nodeAt(1), key))) freed++
      else await Bun.sleep(10)
    }
    await Bun.sleep(leaseMs * 1.5)
    expect(isIn(await ask(nodeAt(1), key))).toBeFalse()
  })

  test('while the server is away each node keeps its share, nobody waits, and nothing counts twice after', async () => {
    const own = await startValkey()
    const { nodes, nodeAt, lines } = await startNodes(3, { url: own.url, leaseMs: 800 })
    const key = [subject('token', { rpm: 300 })]
    let passed = 0
    let longestMs = 0
    using time = startOwnTime()
    const flood = async (count: number) => {
      const asked = Array.from({ length: count }, async (_, at) => {
        const startMs = time.now()
        if (isIn(await ask(nodeAt(at), key))) passed++
        longestMs = Math.max(longestMs, time.now() - startMs)
      })
      await Promise.all(asked)
    }
    await flood(90) // thirty on each node
    expect(passed).toBe(90)
    await own.stop()
    await flood(60)
    expect(passed).toBe(150)
    const refused = await flood(600).then(() => ask(nodeAt(0), key))
    expect(passed).toBe(300)
    if (isIn(refused)) throw new Error('it was let in')
    expect(refused.message).toMatch(/^This key may make 300 requests a minute/)
    await own.start()
    await until(() => nodes.every(({ counters }) => !counters.isUnavailable()))
    await told(...nodes)
    await flood(600)
    expect(passed).toBe(300)
    // As many as were let in, none more: a limit of 310 leaves room for ten.
    const wider = [subject('token', { rpm: 310 })]
    const asked = Array.from({ length: 60 }, (_, at) => ask(nodeAt(at), wider))
    expect(permitsIn(await Promise.all(asked))).toHaveLength(10)
    expect(longestMs).toBeLessThan(400)
    expect(lines.filter((line) => line.includes('are unavailable'))).toHaveLength(3)
    expect(lines.filter((line) => line.includes('available again'))).toHaveLength(3)
    await Promise.all(ends.map((end) => end()))
    ends = []
    await own.stop()
  })

  test('what was let in while a server did not answer is told it once it does; slots, too', async () => {
    const own = await startValkey()
    const { nodes, nodeAt } = await startNodes(2, { url: own.url })
    const key = [subject('token', { rpm: 40, concurrency: 30 })]
    const first = permitsIn(
      await Promise.all(Array.from({ length: 10 }, (_, at) => ask(nodeAt(at), key))),
    )
    own.freeze()
    await until(() =>
      nodes.every(({ counters, limiter }) => {
        if (!counters.isUnavailable()) void limiter.tryAcquire(subject('channel', { rpm: 1e6 }), 0)
        return counters.isUnavailable()
      }),
    )
    const asked = Array.from({ length: 10 }, (_, at) => ask(nodeAt(at), key))
    const second = permitsIn(await Promise.all(asked))
    expect(second).toHaveLength(10)
    for (const permit of first) permit.release()
    own.thaw()
    await until(() => nodes.every(({ counters }) => !counters.isUnavailable()))
    await told(...nodes)
    // Ten are open of thirty, and twenty of forty have been counted.
    const rest = Array.from({ length: 30 }, (_, at) => ask(nodeAt(at), key))
    expect(permitsIn(await Promise.all(rest))).toHaveLength(20)
    await Promise.all(ends.map((end) => end()))
    ends = []
    await own.stop()
  })

  test('who waits for a share when the server is back goes on within the limit of all', async () => {
    const own = await startValkey()
    const { nodes, nodeAt } = await startNodes(3, { url: own.url, leaseMs: 8_000 })
    const key = [subject('token', { concurrency: 30 })]
    let most = 0
    const open = new Set<Permit>()
    const entered = (permit: Permit) => {
      open.add(permit)
      most = Math.max(most, open.size)
    }
    const end = (permit: Permit) => {
      open.delete(permit)
      permit.release()
    }
    const first = Array.from({ length: 30 }, (_, at) => ask(nodeAt(at), key))
    for (const permit of permitsIn(await Promise.all(first))) entered(permit)
    own.freeze()
    await until(() =>
      nodes.every(({ counters, limiter }) => {
        if (!counters.isUnavailable()) void limiter.tryAcquire(subject('channel', { rpm: 1e6 }), 0)
        return counters.isUnavailable()
      }),
    )
    const wait = async (at: number) =>
      entered(letIn(await ask(nodeAt(at), key, { waitMs: 60_000 })))
    const waiting = Array.from({ length: 60 }, (_, at) => wait(at))
    own.thaw()
    await until(() => nodes.every(({ counters }) => !counters.isUnavailable()))
    // Some of them end, and others come, who ask the server.
    for (const permit of [...open].slice(0, 9)) end(permit)
    const later = Array.from({ length: 30 }, (_, at) => wait(at))
    await until(() => open.size >= 30)
    await Bun.sleep(100)
    let isOver = false
    const all = Promise.all([...waiting, ...later]).then(() => {
      isOver = true
    })
    while (!isOver) {
      for (const permit of [...open].slice(0, 6)) end(permit)
      await Bun.sleep(5)
    }
    await all
    expect(most).toBe(30)
    await Promise.all(ends.map((end) => end()))
    ends = []
    await own.stop()
  })

  test('who goes on there leaves no slot behind that it was given before, unheard', async () => {
    const own = await startValkey()
    const leaseMs = 8_000
    const { nodeAt } = await startNodes(2, { url: own.url, leaseMs })
    const key = [subject('token', { concurrency: 2 })]
    own.freeze()
    // The server hears of both, when nobody waits for its answers any more.
    const first = ask(nodeAt(0), key)
    const second = ask(nodeAt(0), key, { waitMs: 60_000 })
    letIn(await first)
    own.thaw()
    const thawedTick = tick()
    letIn(await second)
    expect(tick() - thawedTick).toBeLessThan(leaseMs - 2_000)
    await Promise.all(ends.map((end) => end()))
    ends = []
    await own.stop()
  })

  test('nor does who had waited in line before', async () => {
    const own = await startValkey()
    const leaseMs = 8_000
    const { nodeAt } = await startNodes(2, { url: own.url, leaseMs })
    const key = [subject('token', { concurrency: 2 })]
    const [ending, going] = [letIn(await ask(nodeAt(0), key)), letIn(await ask(nodeAt(0), key))]
    const waiting = ask(nodeAt(0), key, { waitMs: 60_000 })
    await Bun.sleep(50)
    own.freeze()
    // The server hears of the end, and of what waits behind it, when nobody waits for its answers any more.
    ending.release()
    await until(() => nodeAt(0).counters.isUnavailable())
    await Bun.sleep(50)
    own.thaw()
    const thawedTick = tick()
    letIn(await waiting)
    expect(tick() - thawedTick).toBeLessThan(leaseMs - 2_000)
    going.release()
    await Promise.all(ends.map((end) => end()))
    ends = []
    await own.stop()
  })

  test('a server that is stopped and started under load: no request fails or waits long', async () => {
    const own = await startValkey()
    const { nodeAt, nodes } = await startNodes(3, { url: own.url, leaseMs: 2_000 })
    const key = [subject('token', { rpm: 1e6, tpm: 1e9, concurrency: 1000 })]
    let isOver = false
    let asked = 0
    let longestMs = 0
    using time = startOwnTime()
    const load = Array.from({ length: 60 }, async (_, worker) => {
      for (; !isOver; await Bun.sleep(1)) {
        const startMs = time.now()
        const permit = letIn(await ask(nodeAt(worker), key, { llmTokens: 3 }))
        asked++
        longestMs = Math.max(longestMs, time.now() - startMs)
        permit.used(5)
        permit.release()
      }
    })
    for (let round = 0; round < 3; round++) {
      await Bun.sleep(300)
      if (round === 1) own.freeze()
      else await own.stop()
      await Bun.sleep(600) // longer than anybody may wait
      if (round === 1) own.thaw()
      else await own.start()
      await until(() => nodes.every(({ counters }) => !counters.isUnavailable()))
    }
    isOver = true
    await Promise.all(load)
    expect(asked).toBeGreaterThan(1_000)
    expect(longestMs).toBeLessThan(500)
    await Promise.all(ends.map((end) => end()))
    ends = []
    await own.stop()
  })
})
