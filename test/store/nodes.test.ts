import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { silentNodeMs } from '../../src/store/ports/nodes.ts'
import { eachEngine, type TestStore } from './each-engine.ts'
import { reservation } from './sqlite/file-store.ts'
import { settlement } from './support.ts'

const silent = silentNodeMs + 1_000

eachEngine((open, engine) => {
  let file: TestStore

  beforeEach(async () => {
    file = await open()
  })
  afterEach(() => file[Symbol.asyncDispose]())

  /** As if it had been quiet since long ago. */
  const silence = (id: number) =>
    file.change(`UPDATE node SET seen_at = seen_at - ${silent} WHERE id = ${id}`)
  const sums = () =>
    file.rows(
      'SELECT (SELECT sum(requests) FROM usage_day) AS days, (SELECT sum(requests) FROM usage_total) AS total, ' +
        '(SELECT sum(failed) FROM usage_day) AS failed, (SELECT sum(failed) FROM usage_total) AS alsofailed, ' +
        '(SELECT sum(amount_nano) FROM usage_total) AS nano, (SELECT count(*) FROM request) AS requests',
    )

  test('nodes are in the list while they live, with what they do', async () => {
    const { nodes } = file.store
    const began = Date.now()
    const [one, other] = [
      await nodes.register({ name: 'one:1', version: '0.1.0' }),
      await nodes.register({ name: 'other:2', version: '0.2.0' }),
    ]
    expect(await nodes.heartbeat(one, { requests: 7 })).toBe(true)
    await silence(other)
    const [first, second] = await nodes.list()
    const passedMs = Date.now() - began
    expect(first?.silentMs).toBeWithin(0, passedMs + 10)
    expect(second?.silentMs).toBeWithin(silent, silent + passedMs + 10)
    expect(first).toMatchObject({
      ...{ id: one, name: 'one:1', version: '0.1.0', isAlive: true },
      load: { requests: 7 },
    })
    expect(second).toMatchObject({ id: other, isAlive: false, load: {} })
    expect(await nodes.heartbeat(other, {})).toBe(true)
    expect((await nodes.list()).map(({ isAlive }) => isAlive)).toEqual([true, true])
    await nodes.forget(other)
    expect((await nodes.list()).map(({ id }) => id)).toEqual([one])
    expect(await nodes.heartbeat(other, {})).toBe(false)
  })

  test('one that was heard of since somebody looked is not forgotten', async () => {
    const { nodes } = file.store
    const id = await nodes.register({ name: 'one', version: '1' })
    await silence(id)
    const seenAt = (await nodes.list())[0]?.seenAt ?? 0
    await nodes.heartbeat(id, {})
    await nodes.forget(id, seenAt)
    expect((await nodes.list()).length).toBe(1)
    await nodes.forget(id, (await nodes.list())[0]?.seenAt)
    expect(await nodes.list()).toEqual([])
    expect(await nodes.register({ id, name: 'one', version: '2' })).toBe(id)
  })

  describe.if(engine === 'PostgreSQL')('of a cluster', () => {
    test('what a living node has set aside is left alone, what a dead one has is closed', async () => {
      const beside = await file.openBeside()
      const mine = await file.store.nodes.register({ name: 'mine', version: '1' })
      await beside.nodes.register({ name: 'theirs', version: '1' })
      await file.store.records.commit({
        settle: [settlement({ requestId: 'ended' })],
        reserve: [reservation({ requestId: 'a' }), reservation({ requestId: 'b', priceId: null })],
      })
      await beside.records.commit({ reserve: [reservation({ requestId: 'c', amountNano: 5 })] })
      expect(await beside.nodes.sweepDead()).toBe(0)
      expect(await file.reserved()).toEqual({ a: 100, b: 100, c: 5 })
      const theirs = (await file.store.nodes.list())[1]?.id ?? null
      expect(await beside.nodes.reservations()).toEqual([
        { nodeId: mine, requests: 2, amountNano: 200 },
        { nodeId: theirs, requests: 1, amountNano: 5 },
      ])
      await silence(mine)
      expect(await beside.nodes.sweepDead()).toBe(2)
      expect(await file.reserved()).toEqual({ c: 5 })
      expect(await beside.nodes.sweepDead()).toBe(0)
      expect(
        await file.rows('SELECT request_id, ending, amount_nano FROM request ORDER BY request_id'),
      ).toEqual([
        { request_id: 'a', ending: 'interrupted', amount_nano: 0 },
        { request_id: 'b', ending: 'interrupted', amount_nano: 0 },
        { request_id: 'ended', ending: 'complete', amount_nano: 100 },
      ])
      expect(await sums()).toEqual([
        { days: 3, total: 3, failed: 2, alsofailed: 2, nano: 100, requests: 3 },
      ])
      await beside.close()
    })

    test('one that was taken for dead is charged for what it delivered, once', async () => {
      const mine = await file.store.nodes.register({ name: 'mine', version: '1' })
      await file.store.records.commit({ reserve: [reservation({ requestId: 'a' })] })
      await silence(mine)
      expect(await file.store.nodes.sweepDead()).toBe(1)
      const late = { settle: [settlement({ requestId: 'a', amountNano: 40 })] }
      await file.store.records.commit(late)
      await file.store.records.commit(late)
      expect(await file.rows('SELECT request_id, ending, amount_nano FROM request')).toEqual([
        { request_id: 'a', ending: 'complete', amount_nano: 40 },
      ])
      expect(await file.rows("SELECT amount_nano FROM ledger WHERE kind = 'charge'")).toEqual([
        { amount_nano: -40 },
      ])
      expect(await sums()).toEqual([
        { days: 1, total: 1, failed: 0, alsofailed: 0, nano: 40, requests: 1 },
      ])
      expect(await file.reserved()).toEqual({})
    })

    test('what one sets aside before it is heard of again is its own', async () => {
      const mine = await file.store.nodes.register({ name: 'mine', version: '1' })
      await file.store.records.commit({ reserve: [reservation({ requestId: 'before' })] })
      await silence(mine)
      const madeNow = reservation({ requestId: 'now', createdAt: Date.now() })
      const aMomentAhead = Date.now() + silentNodeMs - 10_000
      const madeAhead = reservation({ requestId: 'ahead', createdAt: aMomentAhead })
      const fromTomorrow = Date.now() + 86_400_000
      const madeWrong = reservation({ requestId: 'wrong', createdAt: fromTomorrow })
      await file.store.records.commit({ reserve: [madeNow, madeAhead, madeWrong] })
      expect(await file.store.nodes.sweepDead()).toBe(2)
      expect(await file.reserved()).toEqual({ now: 100, ahead: 100 })
      await file.store.records.commit({ settle: [settlement({ requestId: 'now' })] })
      await file.change(`UPDATE reservation SET created_at = created_at - ${2 * silent}`)
      expect(await file.store.nodes.sweepDead()).toBe(1)
      expect(await file.reserved()).toEqual({})
      expect(await file.rows('SELECT request_id, ending FROM request ORDER BY request_id')).toEqual(
        [
          { request_id: 'ahead', ending: 'interrupted' },
          { request_id: 'before', ending: 'interrupted' },
          { request_id: 'now', ending: 'complete' },
          { request_id: 'wrong', ending: 'interrupted' },
        ],
      )
    })

    test('several may sweep at once', async () => {
      const stores = await Promise.all([file.openBeside(), file.openBeside(), file.openBeside()])
      const reserve = Array.from({ length: 40 }, (_, one) => reservation({ requestId: `r${one}` }))
      await file.store.records.commit({ reserve }) // of no node in the list
      const swept = await Promise.all(stores.map(({ nodes }) => nodes.sweepDead()))
      expect(swept.reduce((sum, one) => sum + one)).toBe(40)
      expect(await file.reserved()).toEqual({})
      await Promise.all(stores.map((store) => store.close()))
    })
  })
})
