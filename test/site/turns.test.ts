import { expect, test } from 'bun:test'
import { createTurns, orBusy } from '../../src/site/turns.ts'

/** Turns whose time goes on by what is built and slept alone. */
function start() {
  let now = 0
  const slept: number[] = []
  const inTurn = createTurns(
    () => now,
    async (ms) => {
      slept.push(ms)
      now += ms
    },
  )
  const build = (ms: number) =>
    inTurn(() => {
      now += ms
    })
  return { inTurn, build, slept, now: () => now }
}

test('a few pages wait for nothing, many take a small part of the time', async () => {
  const { build, slept, now } = start()
  for (let page = 0; page < 20; page++) await build(50)
  expect(slept).toEqual([])
  const began = now()
  for (let page = 0; page < 1000; page++) await build(20)
  expect((1000 * 20) / (now() - began)).toBeWithin(0.1, 0.17)
})

test('one that took long leaves two seconds to the next at most', async () => {
  const { build, slept } = start()
  await build(60_000)
  await build(10)
  expect(slept).toEqual([2_000])
})

test('one is built at a time, though one before it fails', async () => {
  const { inTurn } = start()
  let building = 0
  const build = async () => {
    expect(++building).toBe(1)
    await Promise.resolve()
    building--
    throw new Error('no page')
  }
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => inTurn(build)))
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'rejected'))
  expect(await inTurn(() => 'a page')).toBe('a page')
})

test('where too many wait, the next is told to come again', async () => {
  const { inTurn } = start()
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Array.from({ length: 64 }, () => inTurn(() => promise))
  const refused = await orBusy(() => inTurn(() => new Response()))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
  resolve()
  await Promise.all(waiting)
  expect((await orBusy(() => inTurn(() => new Response()))).status).toBe(200)
})
