import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Desk } from '../../../src/app/group/desk.ts'
import { createLink } from '../../../src/store/keeper/link.ts'
import type { Keeper } from '../../../src/store/keeper/open.ts'
import type { Batch, Overrun, Settlement } from '../../../src/store/ports/records.ts'
import type { Store } from '../../../src/store/ports/store.ts'
import { StoreError, UnansweredError } from '../../../src/store/ports/store-error.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { until } from '../../e2e/until.ts'
import { reservation } from '../../store/sqlite/file-store.ts'
import { now, requestRow, seed, settlement } from '../../store/support.ts'
import {
  type LinkOptions,
  openTestDesk,
  openTestWorker,
  silentLog,
  testSecret,
  type WorkerOptions,
} from '../../support/keeper-link.ts'

const settle = (requestId: string, amountNano = 100) => settlement({ requestId, amountNano })
const reserve = (requestId: string, amountNano = 100) => reservation({ requestId, amountNano })

let store: Store
let desk: Desk
let address: string
const workers: Keeper[] = []
/** The store fails with this. */
let failure: Error | undefined
let batches: Batch[] = []

function openDesk(options: LinkOptions = {}): void {
  const commit = async (batch: Batch) => {
    batches.push(batch)
    if (failure) throw failure
    return await store.records.commit(batch)
  }
  ;({ desk, address } = openTestDesk(
    { ...store, records: { ...store.records, commit } },
    { ...(address && { address }), ...options },
  ))
}

async function join(options?: WorkerOptions): Promise<Keeper> {
  const worker = await openTestWorker(address, options)
  workers.push(worker)
  return worker
}

beforeEach(async () => {
  address = ''
  failure = undefined
  batches = []
  store = openSqliteStore({ path: ':memory:', clock: () => now })
  await seed(store)
  openDesk()
})
afterEach(async () => {
  for (const worker of workers.splice(0)) worker.close()
  desk.close()
  await store.close()
})

describe('batches', () => {
  test('of one turn are one commit, and each worker gets its own part of the answer', async () => {
    await store.admin.write({
      accounts: [{ email: 'bob@example.com', openingNano: 50, role: 'user', status: 'active' }],
    })
    const [first, second] = [await join({ index: 0 }), await join({ index: 1 })]
    await desk.records.commit({}) // the keeper is between two turns
    const [ofFirst, ofSecond, ofKeeper] = await Promise.all([
      first.store.records.commit({ settle: [settle('a')], reserve: [reserve('x', 2e9)] }),
      second.store.records.commit({
        reserve: [reservation({ requestId: 'b', accountId: 2, amountNano: 51 })],
      }),
      desk.records.commit({ release: ['nothing'] }),
    ])
    expect(ofFirst.accounts).toEqual([{ accountId: 1, balanceNano: 999_999_900 }])
    expect(ofFirst.denied).toEqual(new Map([['x', 'balance']]))
    expect(ofSecond.accounts).toEqual([{ accountId: 2, balanceNano: 50 }])
    expect(ofSecond.denied).toEqual(new Map([['b', 'balance']]))
    expect(ofKeeper.accounts).toEqual([])
  })

  test('are joined while a commit is under way', async () => {
    const worker = await join()
    const { commit } = worker.store.records
    const many = Array.from({ length: 50 }, (_, at) => commit({ settle: [settle(`a${at}`)] }))
    const all = await Promise.all(many)
    expect(all.map(({ accounts }) => accounts.length)).toEqual(Array.from({ length: 50 }, () => 1))
    expect(batches.length).toBeLessThan(10)
    expect((await store.admin.accounts())[0]?.balanceNano).toBe(1_000_000_000 - 5_000)
  })

  test('that can not be stored do not keep out those of others', async () => {
    const worker = await join()
    const { commit } = worker.store.records
    const bad = { settle: [settle('bad', -1)] }
    const [good, refused, other] = await Promise.allSettled([
      commit({ settle: [settle('good')] }),
      commit(bad),
      commit({ settle: [settle('other')] }),
    ])
    expect([good?.status, refused?.status, other?.status].join()).toBe(
      'fulfilled,rejected,fulfilled',
    )
    expect(refused).not.toHaveProperty('reason', expect.any(StoreError))
  })

  test.each([
    [StoreError, new StoreError('the disk is full')],
    [UnansweredError, new UnansweredError('it was not answered')],
    [RangeError, new RangeError('out of range')],
    [Error, new Error('some')],
  ])('fail as they failed there: %p', async (kind, error) => {
    const worker = await join()
    failure = error
    const found = await worker.store.records.commit({ settle: [settle('a')] }).catch((one) => one)
    expect(found).toBeInstanceOf(kind)
    expect(found.constructor).toBe(kind)
    expect(found.message).toBe(error.message)
  })

  test('tell all others what turned out dearer', async () => {
    const overrun: Overrun = {
      ...{ accountId: 1, channelId: 1, upstreamModel: 'small-1', factor: 2, byNano: 50 },
    }
    const heard: string[] = []
    const [first, second] = [await join({ index: 0 }), await join({ index: 1 })]
    first.store.records.onOverrun(() => heard.push('first'))
    second.store.records.onOverrun((one) => heard.push(`second ${one.byNano}`))
    desk.records.onOverrun?.((one) => heard.push(`keeper ${one.byNano}`))
    await first.store.records.commit({ settle: [{ ...settle('a'), overrun }] })
    await until('both others to hear it', () => heard.length === 2)
    expect(heard.toSorted()).toEqual(['keeper 50', 'second 50'])
  })
})

describe('calls', () => {
  test('reach what the one table allows', async () => {
    const worker = await join()
    const found = await worker.store.tokens.findByHash('hash-1')
    expect(found?.id).toBe(1)
    expect(await worker.store.tokens.findByHash('other')).toBeUndefined()
    expect((await worker.store.catalog.load()).channels[0]?.keysSealed).toEqual(
      Uint8Array.of(1, 2, 3),
    )
    await worker.store.check()
    expect(Object.keys(worker.store.admin)).toEqual(['overdrawn'])
  })

  test('of anything else are refused', async () => {
    const up = Promise.withResolvers<void>()
    const link = createLink({
      ...{ address, secret: testSecret, log: silentLog, onUp: () => up.resolve() },
      hello: () => ({ worker: { index: 0, pid: 1 }, held: [], owed: { leases: [], no: 0 } }),
      ...{ onDown() {}, onNews() {}, onPing() {}, onAsk() {} },
    })
    await up.promise
    for (const [part, method] of [
      ['signIn', 'findPassword'],
      ['admin', 'write'],
      ['records', 'commit'],
      ['counters', 'close'],
      ['tokens', 'constructor'],
      ['__proto__', 'toString'],
    ] as const)
      await expect(link.call(part, method, [])).rejects.toThrow(
        `Workers may not call ${part}.${method}.`,
      )
    link.close()
  })
})

describe('a hello that is read late', () => {
  const linkOf = (pid: number, no: number) => {
    const up = Promise.withResolvers<void>()
    const link = createLink({
      ...{ address, secret: testSecret, log: silentLog, onUp: () => up.resolve() },
      hello: () => ({ worker: { index: 0, pid }, held: [], owed: { leases: [], no } }),
      ...{ onDown() {}, onNews() {}, onPing() {}, onAsk() {} },
    })
    return { link, up: up.promise }
  }

  test('takes the place of no later one, nor does that of a process which has ended', async () => {
    desk.close()
    const seen = new Set<number>()
    openDesk({
      isAlive: ({ pid }) => {
        seen.add(pid)
        return pid !== 2
      },
    })
    const newer = linkOf(1, 5)
    await newer.up
    const ended = linkOf(2, 9)
    await until('the ended one to speak', () => seen.has(2))
    const late = linkOf(1, 4)
    for (let round = 0; round < 5; round++) {
      await Bun.sleep(10)
      await newer.link.call('store', 'check', [])
    }
    expect([ended.link.isUp(), late.link.isUp()]).toEqual([false, false])
    expect(desk.workers()).toEqual([{ index: 0, pid: 1, isConnected: true }])
    for (const { link } of [newer, ended, late]) link.close()
  })
})

describe('news', () => {
  test('of what was changed comes at once, and to whoever polls', async () => {
    const worker = await join()
    const heard: string[] = []
    worker.onChanged((what) => heard.push(what))
    expect(await worker.store.changedElsewhere()).toBe(false)
    desk.changed('accounts')
    await until('the first', () => heard.length === 1)
    desk.changed('all')
    desk.changed('accounts')
    await until('all', () => heard.length === 3)
    expect(await worker.store.changedElsewhere()).toBe('all')
    expect(await worker.store.changedElsewhere()).toBe(false)
  })

  test('of the configuration reach each worker', async () => {
    let config: unknown = new Map([['a', 1]])
    desk.close()
    openDesk({ given: () => config })
    const heard: unknown[] = []
    await join({
      onGiven: (given) => heard.push(given),
    })
    config = { b: 2 }
    desk.give()
    await until('both', () => heard.length === 2)
    expect(heard).toEqual([new Map([['a', 1]]), { b: 2 }])
  })

  test('of a database that can not be worked with stop requests', async () => {
    const worker = await join()
    worker.store.file.require()
    desk.setTrouble('the file is gone')
    await until('the trouble', () => worker.store.file.trouble())
    expect(() => worker.store.file.require()).toThrow(new StoreError('the file is gone'))
    expect((await join({ index: 1 })).store.file.trouble()).toBe('the file is gone')
    desk.setTrouble(null)
    await until('the end', () => worker.store.file.trouble() === undefined)
  })
})

describe('questions', () => {
  test('are answered by each worker, and by none in place of another', async () => {
    await join({ index: 0, onAsk: (what) => `${what} of 0` })
    await join({ index: 1, pid: 7, onAsk: async (what) => ({ what }) })
    await join({
      index: 2,
      onAsk() {
        throw new Error('it has none')
      },
    })
    expect(await desk.ask('metrics')).toEqual([
      { worker: { index: 0, pid: 1 }, value: 'metrics of 0' },
      { worker: { index: 1, pid: 7 }, value: { what: 'metrics' } },
    ])
  })
})

describe('a worker that dies', () => {
  const kept = async () =>
    (await Array.fromAsync(store.records.exportRequests({}))).map(
      ({ requestId, ending, amountNano }) => ({ requestId, ending, amountNano }),
    )
  const reserved = async () => (await store.admin.accounts())[0]?.reservedNano

  test('leaves its begun requests interrupted, and nothing reserved', async () => {
    const [dying, other] = [await join({ index: 0, pid: 5 }), await join({ index: 1, pid: 6 })]
    await dying.store.records.commit({ reserve: [reserve('a'), reserve('b')] })
    await dying.store.records.commit({ settle: [settle('b')] })
    await other.store.records.commit({ reserve: [reserve('c', 7)] })
    expect(desk.held().toSorted()).toEqual(['a', 'c'])
    dying.close()
    desk.died({ index: 0, pid: 5 })
    await until('its record', async () => (await kept()).length === 2)
    expect(await kept()).toEqual([
      { requestId: 'b', ending: 'complete', amountNano: 100 },
      { requestId: 'a', ending: 'interrupted', amountNano: 0 },
    ])
    expect(await reserved()).toBe(7)
    expect(desk.held()).toEqual(['c'])
    desk.died({ index: 0, pid: 5 }) // once more
    expect(desk.workers()).toEqual([{ index: 1, pid: 6, isConnected: true }])
  })

  test('is known to be dead when another one takes its place', async () => {
    const dying = await join({ pid: 5 })
    await dying.store.records.commit({ reserve: [reserve('a')] })
    await join({ pid: 6 })
    await until('its record', async () => (await kept()).length === 1)
    expect(await reserved()).toBe(0)
  })

  test('and was not, is charged for what it delivered', async () => {
    const frozen = await join({ pid: 5 })
    await frozen.store.records.commit({ reserve: [reserve('a')] })
    desk.died({ index: 0, pid: 5 })
    await until('its record', async () => (await kept()).length === 1)
    await frozen.store.records.commit({ settle: [settle('a', 30)] })
    expect(await kept()).toEqual([{ requestId: 'a', ending: 'complete', amountNano: 30 }])
  })

  test('while the store fails has its records stored later', async () => {
    const dying = await join({ pid: 5 })
    await dying.store.records.commit({ reserve: [reserve('a')] })
    failure = new StoreError('the disk is full')
    desk.died({ index: 0, pid: 5 })
    await until('the first try', () => batches.length >= 2)
    failure = undefined
    await until('its record', async () => (await kept()).length === 1)
    expect(await reserved()).toBe(0)
  })
})

describe('a worker that is frozen', () => {
  test('is told of once, and not while it answers', async () => {
    const beats: (() => void)[] = []
    let frozen = 0
    desk.close()
    openDesk({
      onFrozen: () => frozen++,
      repeat(task) {
        beats.push(task)
        return () => {}
      },
    })
    await join()
    const beat = () => {
      for (const task of beats) task()
    }
    for (let round = 0; round < 15; round++) {
      beat()
      await desk.ask('anything')
    }
    expect(frozen).toBe(0)
    for (let round = 0; round < 15; round++) beat() // in which this process reads no answer
    expect(frozen).toBe(1)
  })
})

describe('a spool', () => {
  test('of the keeper takes what the store refused, and the keeper stores it where the worker dies', async () => {
    const spooled: Settlement[] = []
    const spool = {
      add: async (some: readonly Settlement[]) => void spooled.push(...some),
      stored: () => {},
      has: () => false,
      quarantine: async () => {},
      count: () => spooled.length,
      hasFailed: () => false,
      remark: () => undefined,
    }
    desk.close()
    openDesk({ spool })
    const worker = await join()
    failure = new StoreError('the disk is full')
    await worker.spool.add([settle('a', 40)])
    expect(spooled.map(({ request }) => request.requestId)).toEqual(['a'])
    failure = undefined
    for (const id of desk.workers()) desk.died(id)
    await desk.idle()
    expect((await store.admin.accounts())[0]?.balanceNano).toBe(1_000_000_000 - 40)
  })

  test('that is not there refuses', async () => {
    const worker = await join()
    const refused = worker.spool.add([{ request: requestRow({ requestId: 'a' }), attempts: [] }])
    await expect(refused).rejects.toBeInstanceOf(StoreError)
  })
})

describe('strangers', () => {
  test.each([
    ['nothing at all', Buffer.alloc(0)],
    ['no frame', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a hello without a proof', Buffer.from([0, 0, 0, 2, 3, 0])],
    ['no nonce', Buffer.from([0, 0, 0, 3, 1, 0x5b, 0x5d])],
  ])('that send %s learn nothing', async (_, bytes) => {
    const got: Buffer[] = []
    const ended = Promise.withResolvers<void>()
    const socket = await Bun.connect({
      unix: address,
      socket: { data: (_, data) => void got.push(data), close: () => ended.resolve() },
    })
    socket.write(bytes)
    if (bytes.byteLength === 0) socket.end()
    await ended.promise
    expect(got).toEqual([])
    expect(desk.workers()).toEqual([])
  })

  test('that say nothing are sent away after some seconds', async () => {
    const beats: (() => void)[] = []
    desk.close()
    openDesk({
      repeat(task) {
        beats.push(task)
        return () => {}
      },
    })
    const ended = Promise.withResolvers<void>()
    await Bun.connect({
      unix: address,
      socket: { data() {}, close: () => ended.resolve() },
    })
    const worker = await join()
    for (let at = 0; at < 6; at++) for (const beat of beats) beat()
    await ended.promise
    expect(worker.isUp()).toBeTrue()
    expect(await desk.ask('anything')).toHaveLength(1)
  })

  test('that do not know the secret are not let in, and do not let in such a keeper', async () => {
    const stranger = openTestWorker(address, { secret: 'a guess', openMs: 300 })
    await expect(stranger).rejects.toBeInstanceOf(StoreError)
    expect(desk.workers()).toEqual([])
  })
})
