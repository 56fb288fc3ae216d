import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { createLiveRequests } from '../../../src/admin/requests/live.ts'
import { matches } from '../../../src/admin/requests/service.ts'
import { answerWith, Viewer } from '../../../src/admin/requests/viewer.ts'
import type { Repeat } from '../../../src/lib/clock.ts'
import { createLogger } from '../../../src/lib/log.ts'
import type { ListedRequest } from '../../../src/store/ports/lists.ts'
import { people } from '../../support/console-scene.ts'
import { otherKey, startRequestScene } from './request-scene.ts'

/** Timers that a test lets run out. */
function createTimers() {
  const tasks = new Map<number, () => void>()
  const repeat: Repeat = (task, everyMs) => {
    tasks.set(everyMs, task)
    return () => tasks.delete(everyMs)
  }
  return { repeat, run: (everyMs: number) => tasks.get(everyMs)?.(), count: () => tasks.size }
}
const pollMs = 500
const heartbeatMs = 10_000

const scene = await startRequestScene()
const ended: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ended.splice(0)) await end()
})

const person = async (who: keyof typeof people) => {
  const account = await scene.store.admin.account(people[who])
  if (!account) throw new Error(`no ${who}`)
  const { id: accountId, email, role } = account
  return {
    accountId,
    email,
    role,
    isVouched: true,
    sessionId: `session of ${email}`,
    signedInAt: 0,
  }
}

function startLive() {
  const timers = createTimers()
  const out = new Set<string>()
  let asked = 0
  const live = createLiveRequests({
    lists: {
      newRequests(...question) {
        asked++
        return scene.store.lists.newRequests(...question)
      },
    },
    accounts: scene.store.admin,
    sessions: {
      async find(request) {
        const who = request.headers.get('x-test-person') as keyof typeof people
        return out.has(who) ? undefined : person(who)
      },
    },
    log: createLogger({ sink: () => {}, pretty: false, level: 'warn', clock: () => 0 }),
    repeat: timers.repeat,
  })
  ended.push(() => live.stop())
  async function watch(who: keyof typeof people, isAll = false, wanted = {}, more = {}) {
    const leaving = new AbortController()
    const request = new Request('http://gateway.example/', {
      ...{ signal: leaving.signal, headers: { 'x-test-person': who } },
    })
    const one = { who: { ...(await person(who)), ...more }, wanted, request }
    const viewer = await live.watch(isAll ? 'all' : one.who, one)
    const next = async () => {
      const { value } = await viewer.next()
      const { event, data } = (value ?? {}) as { event?: string; data?: Record<string, unknown> }
      return event === 'request' ? data?.model : event
    }
    expect(await next()).toBe('ready')
    return { next, leave: () => leaving.abort() }
  }
  return { live, timers, watch, out, asked: () => asked }
}

async function ask(model: string, key?: string) {
  await (await scene.chat(model, key)).text()
  await scene.tollgate.settled()
}

describe('a live view', () => {
  test('tells of own requests as they end, failures too', async () => {
    const { timers, watch } = startLive()
    const { next } = await watch('user')
    await ask('test-model')
    await ask('other-model', otherKey)
    await ask('no-such-model')
    timers.run(pollMs)
    expect([await next(), await next()]).toEqual(['test-model', 'no-such-model'])
  })

  test('of an administrator tells of all, or of what was asked for', async () => {
    const { timers, watch } = startLive()
    const all = await watch('admin', true)
    const failed = await watch('admin', true, { outcome: 'failed' })
    const others = await watch('admin', true, { account: people.other })
    await ask('other-model', otherKey)
    await ask('nothing')
    timers.run(pollMs)
    expect([await all.next(), await all.next()]).toEqual(['other-model', 'nothing'])
    expect(await failed.next()).toBe('nothing')
    expect(await others.next()).toBe('other-model')
  })

  test('asks the store once for all viewers, and not at all without any', async () => {
    const { timers, watch, asked } = startLive()
    expect(timers.count()).toBe(0)
    const viewers = [await watch('user'), await watch('admin', true), await watch('other')]
    const before = asked()
    await ask('test-model')
    timers.run(pollMs)
    expect(await viewers[1]?.next()).toBe('test-model')
    expect(asked()).toBe(before + 1)
    for (const { leave } of viewers) leave()
    expect(timers.count()).toBe(0)
  })

  test('has a heartbeat, so that nothing between takes it for dead', async () => {
    const { timers, watch } = startLive()
    const { next } = await watch('user')
    timers.run(heartbeatMs)
    expect(await next()).toBe('ping')
  })

  test('ends with its session, and with nobody else’s', async () => {
    const { timers, watch, out } = startLive()
    const user = await watch('user')
    const other = await watch('other')
    out.add('user')
    timers.run(heartbeatMs)
    expect([await user.next(), await user.next()]).toEqual(['ping', 'end'])
    expect(await user.next()).toBeUndefined()
    await ask('other-model', otherKey)
    timers.run(pollMs)
    expect([await other.next(), await other.next()]).toEqual(['ping', 'other-model'])
  })

  test('ends when the gateway stops', async () => {
    const { live, timers, watch } = startLive()
    const { next } = await watch('user')
    await live.stop()
    expect([await next(), await next()]).toEqual(['end', undefined])
    expect(timers.count()).toBe(0)
  })

  test('is refused with 503 when too many look, until one of them leaves', async () => {
    const { watch } = startLive()
    const as = (accountId: number) => watch('user', false, {}, { accountId })
    const viewers = await Promise.all(Array.from({ length: 50 }, (_, at) => as(at)))
    await expect(as(50)).rejects.toMatchObject({ reason: 'unavailable' })
    viewers[7]?.leave()
    await as(50)
  })

  test('is there for an administrator however many others look', async () => {
    const { watch } = startLive()
    const as = (accountId: number) => watch('user', false, {}, { accountId: 1_000 + accountId })
    await Promise.all(Array.from({ length: 50 }, (_, at) => as(at)))
    await expect(as(50)).rejects.toMatchObject({ reason: 'unavailable' })
    for (let at = 0; at < 8; at++) await watch('admin', true)
    await expect(watch('admin', true)).rejects.toMatchObject({ reason: 'unavailable' })
  })

  test('is refused with 503 when one account looks too often, which keeps nobody else out', async () => {
    const { watch } = startLive()
    const viewers = await Promise.all(Array.from({ length: 8 }, () => watch('user')))
    await expect(watch('user')).rejects.toMatchObject({ reason: 'unavailable' })
    await watch('other')
    viewers[7]?.leave()
    await watch('user')
  })
})

test.each([
  ['from since on', { since: 100 }, true],
  ['before since', { since: 101 }, false],
  ['before until', { until: 101 }, true],
  ['not at until', { until: 100 }, false],
  ['that succeeded', { outcome: 'succeeded' }, false],
  ['that failed', { outcome: 'failed' }, true],
  ['of another account', { accountId: 3 }, false],
] as const)('a live view has requests %s, as its list has', (_, filter, isThere) => {
  const row = { accountId: 2, cause: 'upstream_error', createdAt: 100 } as ListedRequest
  expect(matches(row, filter)).toBe(isThere)
})

test('live views over HTTP are events, and end when the gateway stops', async () => {
  const served = await startRequestScene()
  const response = await served.send('user', 'GET', '/api/v1/requests/live')
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  const text = response.text()
  await served.stop()
  expect(await text).toBe('event: ready\ndata: \n\nevent: end\ndata: stopping\n\n')
})

test('the head alone (HEAD) is not waited for, and takes no place', async () => {
  for (let at = 0; at < 10; at++)
    expect((await scene.send('user', 'HEAD', '/api/v1/requests/live')).status).toBe(200)
})

test('who reads slowly is told once that some were left out, and keeps no more than some hundred', async () => {
  const viewer = new Viewer(() => {})
  const { body } = answerWith(viewer)
  for (let at = 0; at < 5_000; at++) {
    viewer.send({ event: 'request', data: { at } })
    if (at % 50 === 0) await Bun.sleep(0)
  }
  viewer.end('stopping')
  const frames = (await new Response(body).text()).split('\n\n').filter((frame) => frame !== '')
  expect(frames.length).toBeLessThan(500)
  expect(frames.filter((frame) => frame.startsWith('event: skipped'))).toHaveLength(1)
})

afterAll(scene.stop)
