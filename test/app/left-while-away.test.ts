import { describe, expect, test } from 'bun:test'
import type { Batch, RecordStore } from '../../src/store/ports/records.ts'
import { StoreError } from '../../src/store/ports/store-error.ts'
import { allDialects, dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { jsonAnswer } from '../support/fake-upstream.ts'
import { startClocked, usual } from './clocked.ts'

// Who leaves while the database takes nothing owes what his vendor bills all the same: it is charged
// when the database takes it, and no later word on the same request takes that away.

/** A gateway whose store can be made to wait, and then to fail. */
async function startAway(options = {}) {
  const clocked = await startClocked({ start: '2026-11-21T08:00:00Z', ...options })
  const records = clocked.store.records as { commit: RecordStore['commit'] }
  const { commit } = records
  const aside = Promise.withResolvers<void>()
  let answer: ((batch: Batch) => Promise<void>) | undefined
  records.commit = async (batch) => {
    await answer?.(batch)
    const committed = await commit(batch)
    if (batch.reserve?.length) aside.resolve()
    return committed
  }
  return {
    ...clocked,
    /** Money is set aside. */
    aside: aside.promise,
    /** From now on it takes no settlements: it fails, when `until` is there. */
    away(until: Promise<unknown> = Promise.resolve()) {
      const asked = Promise.withResolvers<void>()
      answer = async ({ settle = [] }) => {
        if (settle.length === 0) return
        asked.resolve()
        await until
        throw new StoreError('The disk is full.')
      }
      return asked.promise
    },
    back() {
      answer = undefined
    },
    async charges() {
      await clocked.tollgate.settled()
      const rows = await Array.fromAsync(clocked.store.records.exportRequests({}))
      return rows.map(({ ending, amountNano }) => ({ ending, amountNano }))
    },
    [Symbol.asyncDispose]: clocked[Symbol.asyncDispose],
  }
}

const charge = 200_000

describe.each(allDialects)('$name: a whole answer is charged, late', (dialect) => {
  test('when its client leaves while its charge waits for the database', async () => {
    await using scene = await startAway()
    const leaving = new AbortController()
    const left = Promise.withResolvers<void>()
    const asked = scene.away(left.promise)
    const asking = scene.ask(dialect, { signal: leaving.signal }).catch(() => {})
    await asked
    leaving.abort()
    left.resolve()
    await asking
    await until('it to have ended', () => scene.tollgate.active() === 0)
    await scene.tollgate.settled()
    scene.back()
    expect(await scene.charges()).toEqual([{ ending: 'complete', amountNano: charge }])
  })

  test('when its client left before it came', async () => {
    await using scene = await startAway()
    const leaving = new AbortController()
    const asked = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    scene.upstream.handle(async () => {
      asked.resolve()
      await go.promise
      return jsonAnswer(dialect.body(usual))
    })
    const asking = scene.ask(dialect, { signal: leaving.signal }).catch(() => {})
    await asked.promise
    scene.away()
    leaving.abort()
    go.resolve()
    await asking
    await until('it to have ended', () => scene.tollgate.active() === 0)
    scene.back()
    expect(await scene.charges()).toEqual([{ ending: 'client_left', amountNano: charge }])
  })
})

test('what was set aside is charged, late, when the client left and the upstream ran out of time', async () => {
  await using scene = await startAway({ channel: { timeouts: { first_byte: '1s' } } })
  const leaving = new AbortController()
  const asked = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  scene.upstream.handle(async () => {
    asked.resolve()
    await go.promise
    return jsonAnswer({})
  })
  const asking = scene.ask(dialects.chat, { signal: leaving.signal }).catch(() => {})
  await Promise.all([asked.promise, scene.aside])
  scene.away()
  leaving.abort()
  await asking
  await until('it to have ended', () => scene.tollgate.active() === 0)
  go.resolve()
  scene.back()
  const [row, ...others] = await scene.charges()
  expect(others).toEqual([])
  expect(row?.ending).toBe('client_left')
  expect(row?.amountNano).toBeGreaterThan(0)
})

test('what goes on in the background is charged, though its client was told of an error', async () => {
  await using scene = await startAway()
  const response = (status: string) => ({
    ...(dialects.responses.body(usual) as object),
    ...{ id: 'resp_1', status, background: true },
  })
  scene.upstream.handle(() => {
    scene.away()
    return jsonAnswer({ ...response('queued'), output: [], usage: null })
  })
  const body = { ...(dialects.responses.request(false) as object), background: true, store: true }
  expect((await scene.send('/v1/responses', body)).status).toBe(500)
  scene.back()
  expect((await scene.charges())[0]?.ending).toBe('background')
})
