import { expect, test } from 'bun:test'
import { createLogger } from '../../../src/lib/log.ts'
import { createReadiness, healthRoutes } from '../../../src/site/health.ts'
import type { SpoolRemark } from '../../../src/store/ports/records.ts'

/** A database that is asked through `check`, on a clock that stands still until it is moved. */
function scene(goodForMs?: number) {
  const lines: string[] = []
  let now = 0
  let asked = 0
  let isBehind = false
  let isDeaf = false
  let isFull = false
  let remark: SpoolRemark | undefined
  let isShort = false
  let answer = async () => {}
  const readiness = createReadiness({
    check() {
      asked++
      return answer()
    },
    isBehind: () => isBehind,
    isDeaf: () => isDeaf,
    spool: { hasFailed: () => isFull, remark: () => remark },
    isShort: () => isShort,
    tick: () => now,
    log: createLogger({
      sink: (line) => lines.push(line),
      pretty: false,
      clock: () => 0,
      level: 'info',
    }),
    ...(goodForMs !== undefined && { goodForMs }),
  })
  return {
    ...readiness,
    asked: () => asked,
    said: () =>
      lines.splice(0).map((line) => JSON.parse(line) as { level: string; error?: string }),
    answerBy(next: () => Promise<void>) {
      answer = next
    },
    fallBehind(isSo: boolean) {
      isBehind = isSo
    },
    fillSpool(isSo: boolean) {
      isFull = isSo
    },
    leaveRemark(word: SpoolRemark) {
      remark = word
    },
    goDeaf(isSo: boolean) {
      isDeaf = isSo
    },
    runShort(isSo: boolean) {
      isShort = isSo
    },
    pass(ms: number) {
      now += ms
    },
  }
}

const failing = async () => {
  throw new Error('disk I/O error')
}

test('asks the database once a second, however many ask', async () => {
  const { problem, asked, pass } = scene()
  expect(await Promise.all(Array.from({ length: 50 }, problem))).toEqual(Array(50).fill(undefined))
  pass(999)
  await problem()
  expect(asked()).toBe(1)
  pass(1)
  await Promise.all([problem(), problem()])
  expect(asked()).toBe(2)
})

test('nobody asks: the database is not asked either', () => {
  expect(scene().asked()).toBe(0)
})

test('a database that fails is told, logged once, and recovers by itself', async () => {
  const { problem, answerBy, pass, said } = scene()
  answerBy(failing)
  for (let second = 0; second < 3; second++) {
    expect(await problem()).toBe('database')
    pass(1_000)
  }
  expect(said()).toMatchObject([{ level: 'error', error: 'Error: disk I/O error' }])
  answerBy(async () => {})
  expect(await problem()).toBeUndefined()
  expect(said()).toMatchObject([{ level: 'info' }])
})

test('a failure is remembered as long as an answer is', async () => {
  const { problem, answerBy, asked, pass } = scene()
  answerBy(failing)
  expect(await problem()).toBe('database')
  pass(999)
  expect(await problem()).toBe('database')
  expect(asked()).toBe(1)
})

test('a database that is silent holds nobody up, and is asked no second time meanwhile', async () => {
  const { problem, answerBy, asked, pass, said } = scene(20)
  const late = Promise.withResolvers<void>()
  answerBy(() => late.promise)
  expect(await problem()).toBe('database')
  expect(said()).toMatchObject([{ level: 'error', error: 'silent for 20 ms' }])
  pass(60_000)
  // It has had its time: this one is answered at once.
  expect(await Promise.race([problem(), Bun.sleep(15)])).toBe('database')
  expect(asked()).toBe(1)
  late.resolve()
  await late.promise
  await Bun.sleep(0)
  expect(await problem()).toBeUndefined()
})

test('while what has ended can not be stored it is not ready, though the database answers', async () => {
  const { problem, fallBehind } = scene()
  expect(await problem()).toBeUndefined()
  fallBehind(true)
  expect(await problem()).toBe('behind')
  fallBehind(false)
  expect(await problem()).toBeUndefined()
})

test('a spool that takes nothing has its own word, while something is to be stored', async () => {
  const { problem, fallBehind, fillSpool, answerBy, pass } = scene()
  fillSpool(true)
  expect(await problem()).toBeUndefined()
  fallBehind(true)
  expect(await problem()).toBe('unspooled')
  answerBy(failing)
  pass(1_000)
  expect(await problem()).toBe('unspooled')
  fillSpool(false)
  expect(await problem()).toBe('database')
})

test('what was set aside keeps nobody from sending requests, and is told', async () => {
  const gateway = scene()
  const app = healthRoutes(gateway)
  const told = async () => {
    const answer = await app.handle(new Request('http://gate/readyz'))
    return [answer.status, await answer.text()]
  }
  expect(await told()).toEqual([200, 'ready\n'])
  gateway.leaveRemark('damaged')
  expect(await told()).toEqual([
    200,
    'ready\na part of the spool was damaged and is set aside: see the log\n',
  ])
  gateway.fallBehind(true)
  gateway.fillSpool(true)
  expect(await told()).toEqual([
    503,
    'the database takes no writing, and the spool is full or can not be written\n',
  ])
})

test('while changes are not heard of it is not ready, though the database answers', async () => {
  const { problem, goDeaf, fallBehind } = scene()
  goDeaf(true)
  expect(await problem()).toBe('deaf')
  fallBehind(true)
  expect(await problem()).toBe('behind')
  fallBehind(false)
  goDeaf(false)
  expect(await problem()).toBeUndefined()
})

test('while nothing can be opened it is not ready, and asks nobody', async () => {
  const { problem, runShort, asked } = scene()
  runShort(true)
  expect([await problem(), asked()]).toEqual(['short', 0])
  runShort(false)
  expect(await problem()).toBeUndefined()
})

test('a gateway that drains is not ready, whatever the database says, which is not asked', async () => {
  const { problem, drain, asked } = scene()
  drain()
  expect(await problem()).toBe('draining')
  expect(asked()).toBe(0)
})
