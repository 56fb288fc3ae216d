import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createCoolingShare } from '../../../src/gateway/channels/cooling-share.ts'
import { createHealth } from '../../../src/gateway/channels/health.ts'
import { failureClasses } from '../../../src/gateway/failures/failures.ts'
import { repeatByTimer } from '../../../src/lib/clock.ts'
import { openValkeyCounters } from '../../../src/store/valkey/counters.ts'
import { until } from '../../e2e/until.ts'
import { describeWithValkey, freshPrefix, startValkey, type Valkey } from '../../support/valkey.ts'
import { channelOf, createLines, createMemoryHealth, markOf } from './choosing-scene.ts'

let valkey: Valkey
let ends: (() => Promise<void>)[] = []
const listensEveryMs: number[] = []
const channel = channelOf(1)
const [key = ''] = channel.keys
const minute = 60_000

interface NodeOptions {
  /** The store that nodes have together; default: one of its own. */
  readonly memory?: ReturnType<typeof createMemoryHealth>
  readonly tick?: () => number
}

async function startNode(prefix: string, url: string, options: NodeOptions = {}) {
  const { log } = createLines()
  const counters = await openValkeyCounters({ url, log, prefix, leaseMs: 400 })
  const share = createCoolingShare(counters, (task, everyMs) => {
    listensEveryMs.push(everyMs)
    return repeatByTimer(task, everyMs)
  })
  const { memory = createMemoryHealth(), tick = () => performance.now() } = options
  const health = createHealth({
    ...{ clock: Date.now, tick, store: memory.store, keyMark: markOf, log, share, saveMs: 1 },
  })
  share.start(health)
  const leave = async () => {
    await share.stop()
    await counters.close()
  }
  ends.push(leave)
  const fail = () => {
    const { cools } = failureClasses.connect_failed
    for (let at = 0; at < (cools?.strikes ?? 1); at++) {
      const use = health.begin(channel, key, 'model')
      health.failed(use, { name: 'connect_failed', cools, retryAfterMs: minute })
      health.ended(use)
    }
  }
  const succeed = () => {
    const use = health.begin(channel, key, 'model')
    health.succeeded(use)
    health.ended(use)
  }
  return {
    ...{ counters, health, memory, fail, succeed, leave },
    isCooling: () => health.coolings().length > 0,
  }
}

const catalog = {
  channels: new Map([[channel.id, channel]]),
  groups: new Map(),
  openGroups: new Map(),
  models: new Map(),
}

describeWithValkey('what cools, on all nodes', () => {
  beforeAll(async () => {
    valkey = await startValkey()
  })
  afterEach(async () => {
    await Promise.all(ends.map((end) => end()))
    ends = []
  })
  afterAll(() => valkey.stop())

  test('is known everywhere within a second, with the time that is left, and so is its end', async () => {
    const prefix = freshPrefix()
    const here = await startNode(prefix, valkey.url)
    const there = await startNode(prefix, valkey.url)
    here.fail()
    expect(here.isCooling()).toBeTrue()
    await until('it to be applyRemote', there.isCooling)
    expect(there.health.standing(channel, key, 'model')).toBe('cooling')
    const leftMs = () => here.health.coolingMs(channel, key, 'model')
    const mostMs = leftMs()
    const leftThereMs = there.health.coolingMs(channel, key, 'model')
    expect(leftThereMs).toBeWithin(leftMs() - 5, mostMs + 5)
    expect(there.health.coolings()).toEqual(here.health.coolings())
    there.succeed()
    await until('the end to be applyRemote', () => !here.isCooling() && !there.isCooling())
    // Told at once, that is within a second.
    expect(listensEveryMs).toEqual([500, 500])
    expect(here.health.standing(channel, key, 'model')).toBe('ready')
    // Whoever has seen it is who stores it.
    expect(there.memory.rows()).toEqual([])
  })

  test('is told to a node that starts later, and ended for all by the operator', async () => {
    const prefix = freshPrefix()
    const here = await startNode(prefix, valkey.url)
    here.fail()
    await Bun.sleep(20)
    const late = await startNode(prefix, valkey.url)
    await until('it to be applyRemote', late.isCooling)
    late.health.recover(channel.id)
    await until('the end to be applyRemote', () => !here.isCooling())
  })

  test('is ended for all when it is cleared in their store, and stays so when something else cools', async () => {
    const prefix = freshPrefix()
    const memory = createMemoryHealth()
    const here = await startNode(prefix, valkey.url, { memory })
    const there = await startNode(prefix, valkey.url, { memory })
    here.fail()
    await here.health.flush()
    await until('it to be applyRemote', there.isCooling)
    await memory.store.clear(channel.id)
    for (const { health } of [here, there]) await health.refresh(catalog)
    await until('the end to be applyRemote', () => !here.isCooling() && !there.isCooling())
    const part = { channelId: 2, key: '', model: '', cause: 'connect_failed', rounds: 1 }
    const since = Date.now()
    await there.counters.write([{ ...part, since, until: since + minute }], [])
    const cooling = () =>
      [here, there].map(({ health }) => health.coolings().map(({ channelId }) => channelId))
    await until('the other one to be applyRemote', () => cooling().every((ids) => ids.includes(2)))
    expect(cooling()).toEqual([[2], [2]])
  })

  test('that has begun anew is not ended by who hears late that it was cleared before', async () => {
    const prefix = freshPrefix()
    const memory = createMemoryHealth()
    let aheadMs = 0
    const here = await startNode(prefix, valkey.url, { memory })
    const tick = () => performance.now() + aheadMs
    const there = await startNode(prefix, valkey.url, { memory, tick })
    here.fail()
    await here.health.flush()
    await until('it to be applyRemote', there.isCooling)
    aheadMs = 6_000
    await memory.store.clear(channel.id)
    await here.health.refresh(catalog)
    expect(here.isCooling()).toBeFalse()
    here.fail()
    await there.health.refresh(catalog)
    await Bun.sleep(1_200) // all have listened since, twice
    expect([here.isCooling(), there.isCooling()]).toEqual([true, true])
  })

  test('is ended by who has only applyRemote of it, when it is cleared in their store', async () => {
    const prefix = freshPrefix()
    const memory = createMemoryHealth()
    let aheadMs = 0
    const here = await startNode(prefix, valkey.url, { memory })
    const tick = () => performance.now() + aheadMs
    const there = await startNode(prefix, valkey.url, { memory, tick })
    here.fail()
    await here.health.flush()
    await until('it to be applyRemote', there.isCooling)
    await here.leave()
    ends = [there.leave]
    // What was heard a moment ago may not be stored yet.
    await memory.store.clear(channel.id)
    await there.health.refresh(catalog)
    expect(there.isCooling()).toBeTrue()
    aheadMs = 6_000
    await there.health.refresh(catalog)
    expect(there.isCooling()).toBeFalse()
  })

  test('outlives a server that is stopped: what began meanwhile is told then', async () => {
    const own = await startValkey()
    const prefix = freshPrefix()
    const here = await startNode(prefix, own.url)
    const there = await startNode(prefix, own.url)
    await own.stop()
    await until(
      'both to notice',
      () => here.counters.isUnavailable() && there.counters.isUnavailable(),
    )
    here.fail()
    await Bun.sleep(700)
    expect([here.isCooling(), there.isCooling()]).toEqual([true, false])
    await own.start()
    await until('it to be applyRemote', there.isCooling)
    await own.ask('FLUSHALL')
    await Bun.sleep(800)
    expect([here.isCooling(), there.isCooling()]).toEqual([true, true])
    await Promise.all(ends.map((end) => end()))
    ends = []
    await own.stop()
  })
})
