import { expect, test } from 'bun:test'
import { askerAt, createTurns, orBusy } from '../../src/site/turns.ts'

const [one, another] = [askerAt('203.0.113.7'), askerAt('198.51.100.7')]

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
    inTurn(one, () => {
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
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => inTurn(one, build)))
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'rejected'))
  expect(await inTurn(one, () => 'a page')).toBe('a page')
})

test('where too many wait, the next is told to come again', async () => {
  const { inTurn } = start()
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Array.from({ length: 64 }, () => inTurn(one, () => promise))
  const refused = await orBusy(() => inTurn(one, () => new Response()))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
  resolve()
  await Promise.all(waiting)
  expect((await orBusy(() => inTurn(one, () => new Response()))).status).toBe(200)
})

test('who asks for very many leaves the next place to whoever comes', async () => {
  const { inTurn } = start()
  const begun: string[] = []
  const build = (name: string) => async () => {
    begun.push(name)
    await Promise.resolve()
  }
  const many = Array.from({ length: 100 }, (_, at) => inTurn(one, build(`flood ${at}`)))
  const own = inTurn(another, build('somebody'))
  const settled = await Promise.allSettled([own, ...many])
  expect(begun.slice(0, 3)).toEqual(['flood 0', 'somebody', 'flood 1'])
  expect(settled[0]?.status).toBe('fulfilled')
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(37)
})
