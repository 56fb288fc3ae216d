import { afterEach, describe, expect, test } from 'bun:test'
import { buildCatalog, type Catalog } from '../../../src/catalog/catalog.ts'
import { createHealth } from '../../../src/gateway/channels/health.ts'
import type { Cooling } from '../../../src/gateway/failures/failures.ts'
import type { HealthStore } from '../../../src/store/ports/counters.ts'
import type { Store } from '../../../src/store/ports/store.ts'
import { channelWrite, groupWrite, seed } from '../../store/support.ts'
import { openStore } from '../../support/empty-store.ts'
import {
  channelOf,
  createLines,
  createMemoryHealth,
  createTime,
  markOf,
  startedAt,
} from './choosing-scene.ts'

const stores: Store[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

async function openSeeded(): Promise<Store> {
  const store = await openStore(() => startedAt)
  stores.push(store)
  await seed(store)
  return store
}

const keys = ['key-1', 'key-2']
const catalogOf = async (store: Store, opened = keys): Promise<Catalog> =>
  buildCatalog(
    await store.catalog.load(),
    () => opened,
    () => '',
  )

const main = channelOf(1, { keys })
const cools: Cooling = { scope: 'channel', strikes: 1, baseMs: 10_000, capMs: 60_000 }

function createPatient(store: HealthStore, { clock, tick, pass } = createTime(), saveMs = 1_000) {
  const { lines, log } = createLines()
  const health = createHealth({ clock, tick, store, keyMark: markOf, log, saveMs })
  const at = ['key-1', 'small-1'] as const
  return {
    ...{ health, lines, clock, tick, pass },
    standing: (key = 'key-1', model = 'small-1') => health.standing(main, key, model),
    coolingMs: () => health.coolingMs(main, ...at),
    fail(scope: Cooling['scope'] = 'channel') {
      const use = health.begin(main, ...at)
      health.failed(use, { name: 'connect_failed', cools: { ...cools, scope } })
      health.ended(use)
    },
    succeed() {
      const use = health.begin(main, ...at)
      health.succeeded(use)
      health.ended(use)
    },
  }
}

describe('a restart', () => {
  test('changes nothing: what cools has the time left that it had', async () => {
    const store = await openSeeded()
    const before = createPatient(store.health)
    for (const scope of ['channel', 'model', 'key', 'key-model'] as const) before.fail(scope)
    await before.health.flush()
    before.pass(4_000)

    const after = createPatient(store.health, before)
    await after.health.load()
    expect(after.coolingMs()).toBe(6_000)
    expect(after.health.coolings()).toHaveLength(4)
    expect(after.health.coolings()).toEqual(before.health.coolings())
    after.pass(6_000)
    expect(after.standing()).toBe('trial')
  })

  test('counts on: the next round is twice as long', async () => {
    const store = await openSeeded()
    const before = createPatient(store.health)
    before.fail()
    await before.health.flush()
    before.pass(60_000)

    const after = createPatient(store.health, before)
    await after.health.load()
    expect(after.standing()).toBe('trial')
    after.fail()
    expect(after.coolingMs()).toBe(20_000)
  })

  test('with a clock that was set back prolongs nothing', async () => {
    const store = await openSeeded()
    const before = createPatient(store.health)
    before.fail()
    await before.health.flush()
    const after = createPatient(store.health, { ...createTime(), clock: () => startedAt - 1e9 })
    await after.health.load()
    expect(after.coolingMs()).toBe(10_000)
  })

  test('begins well after what has ended', async () => {
    const store = await openSeeded()
    const { health, fail, succeed } = createPatient(store.health)
    fail()
    await health.flush()
    expect(await store.health.load()).toHaveLength(1)
    succeed()
    await health.flush()
    expect(await store.health.load()).toEqual([])
  })
})

describe('writing behind', () => {
  test('is done by itself, many changes in one', async () => {
    const { store, state, rows } = createMemoryHealth()
    const saved = Promise.withResolvers<void>()
    const save: HealthStore['save'] = (...changes) =>
      store.save(...changes).finally(() => saved.resolve())
    const { fail, succeed } = createPatient({ ...store, save }, createTime(), 1)
    for (const scope of ['channel', 'key', 'model'] as const) fail(scope)
    succeed()
    fail('model')
    expect(state.saves).toBe(0)
    await saved.promise
    expect(state.saves).toBe(1)
    expect(rows().map(({ key, model }) => [key, model])).toEqual([['', 'small-1']])
  })

  test('is not done when there is nothing', async () => {
    const { store, state } = createMemoryHealth()
    const { health, succeed } = createPatient(store)
    succeed()
    await health.flush()
    expect(state.saves).toBe(0)
  })

  test('is tried again when the store fails, which is told once and disturbs nobody', async () => {
    const { store, state, rows } = createMemoryHealth()
    const { health, fail, standing, lines } = createPatient(store)
    const told = () => lines.filter(({ message }) => message.includes('stored'))
    state.isFailing = true
    fail()
    for (let i = 0; i < 5; i++) await health.flush()
    expect(standing()).toBe('cooling')
    expect(told().map(({ message }) => message)).toEqual(['health of channels not stored'])
    fail('key')
    state.isFailing = false
    await health.flush()
    expect(rows()).toHaveLength(2)
    expect(told().map(({ message }) => message)).toEqual([
      'health of channels not stored',
      'health of channels stored again',
    ])
  })

  test('is tried again by itself', async () => {
    const { store, rows } = createMemoryHealth()
    const saved = Promise.withResolvers<void>()
    let tries = 0
    const save: HealthStore['save'] = async (...changes) => {
      if (++tries < 3) throw new Error('The store is locked.')
      await store.save(...changes)
      saved.resolve()
    }
    createPatient({ ...store, save }, createTime(), 1).fail()
    await saved.promise
    expect([tries, rows().length]).toEqual([3, 1])
  })

  test('keeps the newer of two changes when the first can’t be stored', async () => {
    const { store, rows } = createMemoryHealth()
    let meanwhile = () => {}
    const save: HealthStore['save'] = async (...changes) => {
      const change = meanwhile
      meanwhile = () => {}
      change()
      await store.save(...changes)
    }
    const { health, fail, succeed } = createPatient({ ...store, save })
    meanwhile = () => {
      succeed()
      throw new Error('The store is locked.')
    }
    fail()
    await health.flush()
    expect(rows()).toEqual([])
    await health.flush()
    expect(rows()).toEqual([])
    await health.flush()
    expect(health.coolings()).toEqual([])
  })
})

describe('another catalog', () => {
  test('takes what cools with the key, the model or the channel that is gone', async () => {
    const store = await openSeeded()
    const { health, fail, standing } = createPatient(store.health)
    fail('key')
    fail('model')
    await health.refresh(await catalogOf(store))
    expect(health.coolings()).toHaveLength(2)

    await health.refresh(await catalogOf(store, ['key-2']))
    expect(health.coolings().map(({ key, model }) => [key, model])).toEqual([['', 'small-1']])

    const models = [{ id: 'small', upstream: 'small-2' }]
    await store.admin.write({ channels: [channelWrite({ models })] })
    await health.refresh(await catalogOf(store))
    expect(health.coolings()).toEqual([])

    fail('channel')
    await store.admin.write({ channels: [channelWrite({ status: 'disabled' })] })
    await health.refresh(await catalogOf(store))
    expect(standing()).toBe('ready')
    await health.flush()
    expect(await store.health.load()).toEqual([])
  })

  test('leaves what cools alone when nothing of it has changed', async () => {
    const store = await openSeeded()
    const { health, fail, coolingMs } = createPatient(store.health)
    for (const scope of ['channel', 'key', 'model', 'key-model'] as const) fail(scope)
    await store.admin.write({ groups: [groupWrite({ description: 'another' })] })
    await health.refresh(await catalogOf(store))
    expect([health.coolings().length, coolingMs()]).toEqual([4, 10_000])
  })
})

describe('an operator who says that a channel is well', () => {
  test('is believed, also about what waits for its trial', async () => {
    const store = await openSeeded()
    const { health, fail, standing, pass } = createPatient(store.health)
    fail('channel')
    fail('key')
    await health.flush()
    pass(10_000)
    expect(standing()).toBe('trial')
    await store.health.clear(1)
    await health.refresh(await catalogOf(store))
    expect(standing()).toBe('ready')
    await health.flush()
    expect(await store.health.load()).toEqual([])
  })

  test('knew nothing of what was not saved yet: that stays', async () => {
    const store = await openSeeded()
    const { health, fail, standing } = createPatient(store.health)
    fail('key')
    await health.flush()
    fail('model')
    await store.health.clear(1)
    await health.refresh(await catalogOf(store))
    expect([standing('key-1', 'other'), standing('key-2', 'small-1')]).toEqual(['ready', 'cooling'])
    await health.flush()
    expect(await store.health.load()).toHaveLength(1)
  })

  test('is applyRemote of what was saved before a restart, too', async () => {
    const store = await openSeeded()
    const before = createPatient(store.health)
    before.fail('key')
    await before.health.flush()
    const after = createPatient(store.health, before)
    await after.health.load()
    expect(after.standing()).toBe('cooling')
    await store.health.clear(1)
    await after.health.refresh(await catalogOf(store))
    expect(after.standing()).toBe('ready')
  })

  test('did not know of the next round, when that was not saved yet', async () => {
    const store = await openSeeded()
    const { health, fail, coolingMs, pass } = createPatient(store.health)
    fail('key')
    await health.flush()
    pass(10_000)
    fail('key')
    await store.health.clear(1)
    await health.refresh(await catalogOf(store))
    expect(coolingMs()).toBe(20_000)
    await health.flush()
    expect(await store.health.load()).toMatchObject([{ rounds: 2 }])
  })

  test('did not know of what is just being saved', async () => {
    const catalog = await catalogOf(await openSeeded())
    const { store, rows } = createMemoryHealth()
    let gate = Promise.resolve()
    const save: HealthStore['save'] = async (...changes) => {
      await gate
      await store.save(...changes)
    }
    const { health, fail, standing, pass } = createPatient({ ...store, save })
    fail('key')
    await health.flush()
    pass(10_000)
    fail('key')
    await store.clear(1)
    const opening = Promise.withResolvers<void>()
    gate = opening.promise
    const flushed = health.flush()
    const refreshed = health.refresh(catalog)
    for (let i = 0; i < 10; i++) await Promise.resolve()
    opening.resolve()
    await Promise.all([flushed, refreshed])
    expect([standing(), rows().length]).toEqual(['cooling', 1])
  })

  test('is applyRemote later when the store can’t be read', async () => {
    const store = await openSeeded()
    const memory = createMemoryHealth()
    const { health, fail, standing, lines } = createPatient(memory.store)
    fail('key')
    await health.flush()
    memory.state.isFailing = true
    await memory.store.clear(1)
    await health.refresh(await catalogOf(store))
    expect(standing()).toBe('cooling')
    expect(lines.at(-1)?.message).toBe('health of channels not read')
    memory.state.isFailing = false
    await health.refresh(await catalogOf(store))
    expect(standing()).toBe('ready')
  })
})
