import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { joinNodes, type Membership } from '../../../src/app/membership.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { silentNodeMs } from '../../../src/store/ports/nodes.ts'
import { type AnyStore, eachEngine, type TestStore } from '../../store/each-engine.ts'
import { reservation } from '../../store/sqlite/file-store.ts'
import { now } from '../../store/support.ts'

eachEngine((open, engine) => {
  let file: TestStore
  let said: string
  let member: Membership

  const log = createLogger({
    sink(line) {
      said += line
    },
    pretty: false,
    clock: () => now,
    level: 'info',
  })
  const join = ({ nodes }: AnyStore, name: string) =>
    joinNodes({ nodes, name, log, load: () => ({ requests: 3 }) })
  const names = async () => (await file.store.nodes.list()).map(({ name }) => name)
  const silence = (name: string, ms: number) =>
    file.change(`UPDATE node SET seen_at = seen_at - ${ms} WHERE name = '${name}'`)

  beforeEach(async () => {
    said = ''
    file = await open()
    member = await join(file.store, 'mine')
  })
  afterEach(async () => {
    await member.leave()
    await file[Symbol.asyncDispose]()
  })

  test('a node is in the list with its load until it leaves', async () => {
    await member.beat()
    expect(await file.store.nodes.list()).toMatchObject([
      { name: 'mine', isAlive: true, load: { requests: 3 } },
    ])
    await member.leave()
    expect(await names()).toEqual([])
  })

  test('a node that is in the list no more enters again', async () => {
    await file.change('DELETE FROM node')
    await member.beat()
    expect(await names()).toEqual(['mine'])
    expect(said).toContain('it has entered again')
  })

  test('nodes that are long dead are forgotten, others are not', async () => {
    for (const name of ['dead', 'long dead']) {
      await file.store.nodes.register({ name, version: '1' })
    }
    await silence('dead', silentNodeMs + 1)
    await silence('long dead', 3_600_001)
    await member.beat()
    expect(await names()).toEqual(['mine', 'dead'])
  })

  test('how many live is known from the start, and kept while nobody can say', async () => {
    await file.store.nodes.register({ name: 'other', version: '1' })
    await file.store.nodes.register({ name: 'dead', version: '1' })
    await silence('dead', silentNodeMs + 1)
    let isUnavailable = false
    const list = async () => {
      if (isUnavailable) throw new Error('The database is away.')
      return file.store.nodes.list()
    }
    const late = await join({ ...file.store, nodes: { ...file.store.nodes, list } }, 'late')
    expect(late.living()).toBe(3)
    isUnavailable = true
    await late.beat()
    expect([late.known(), late.living()]).toEqual([[], 3])
    isUnavailable = false
    await member.leave()
    await late.beat()
    expect(late.living()).toBe(2)
    await late.leave()
  })

  describe.if(engine === 'PostgreSQL')('of a cluster', () => {
    test('closes what a dead node left open, and nothing of a living one', async () => {
      const dead = await file.openBeside()
      const living = await file.openBeside()
      await dead.nodes.register({ name: 'dead', version: '1' })
      await living.nodes.register({ name: 'living', version: '1' })
      await dead.records.commit({ reserve: [reservation({ requestId: 'a' })] })
      await living.records.commit({ reserve: [reservation({ requestId: 'b' })] })
      await silence('dead', silentNodeMs + 1)
      await member.beat()
      expect(await file.reserved()).toEqual({ b: 100 })
      expect(said).toContain('"interrupted":1')
      await Promise.all([dead.close(), living.close()])
    })

    test('one that was forgotten while it lived keeps what it has set aside since', async () => {
      const other = await file.openBeside()
      await other.nodes.register({ name: 'other', version: '1' })
      await file.change("DELETE FROM node WHERE name = 'mine'")
      await file.store.records.commit({ reserve: [reservation({ requestId: 'a' })] })
      await member.beat()
      expect(await other.nodes.sweepDead()).toBe(0)
      expect(await file.reserved()).toEqual({ a: 100 })
      await other.close()
    })

    describe('whose database was away for longer than nodes may be silent', () => {
      let other: AnyStore
      let nowTick: number

      beforeEach(async () => {
        nowTick = 0
        other = await file.openBeside()
        await member.leave()
      })
      afterEach(() => other.close())

      const joinAt = (store: AnyStore, name: string) =>
        joinNodes({ nodes: store.nodes, name, log, load: () => ({}), tick: () => nowTick })
      const passes = async (ms: number) => {
        nowTick += ms
        await file.change(`UPDATE node SET seen_at = seen_at - ${ms}`)
      }
      const openOf = async (store: AnyStore, requestId: string) =>
        store.records.commit({ reserve: [reservation({ requestId })] })

      test('who is heard of first leaves the others time to be heard of', async () => {
        member = await joinAt(file.store, 'first')
        const second = await joinAt(other, 'second')
        const third = await file.openBeside()
        await third.nodes.register({ name: 'dead', version: '1' })
        await openOf(other, 'of the living')
        await openOf(third, 'of the dead')
        await member.beat()
        await passes(silentNodeMs + 5_000)
        await member.beat()
        expect(await file.reserved()).toEqual({ 'of the living': 100, 'of the dead': 100 })
        expect(member.living()).toBe(3)
        await second.beat()
        for (let beats = 0; beats < 3; beats++) {
          await passes(5_000)
          await member.beat()
          await second.beat()
        }
        expect(await file.reserved()).toEqual({ 'of the living': 100 })
        expect(member.living()).toBe(2)
        await second.leave()
        await third.close()
      })

      test('so does who starts then', async () => {
        const first = await joinAt(other, 'first')
        await openOf(other, 'of the living')
        await passes(silentNodeMs + 5_000)
        member = await joinAt(file.store, 'new')
        await member.beat()
        expect(await file.reserved()).toEqual({ 'of the living': 100 })
        await first.leave()
        await passes(15_000)
        await member.beat()
        expect(await file.reserved()).toEqual({})
      })

      test('nobody who lives is forgotten, however long it was away', async () => {
        member = await joinAt(file.store, 'first')
        const second = await joinAt(other, 'second')
        await passes(3_700_000)
        await member.beat()
        expect(await names()).toEqual(['first', 'second'])
        await second.leave()
      })
    })
  })
})
