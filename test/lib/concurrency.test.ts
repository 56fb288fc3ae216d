import { expect, test } from 'bun:test'
import {
  coalesce,
  createFairMutex,
  createKeyedMutex,
  createMutex,
} from '../../src/lib/concurrency.ts'

const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

test('work begins when all work before it has ended, in the order in which it was asked for', async () => {
  const inTurn = createMutex()
  const seen: string[] = []
  const work = (name: string, pauses: number) =>
    inTurn(async () => {
      seen.push(`${name} begins`)
      for (let i = 0; i < pauses; i++) await pause()
      seen.push(`${name} ends`)
      return name
    })
  expect(await Promise.all([work('a', 3), work('b', 0), work('c', 1)])).toEqual(['a', 'b', 'c'])
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('work that fails fails for whoever asked for it, and holds up nobody', async () => {
  const inTurn = createMutex()
  const first = inTurn(() => Promise.reject(new Error('no')))
  const second = inTurn(() => {
    throw new Error('nor this')
  })
  const third = inTurn(() => 3)
  await expect(first).rejects.toThrow('no')
  await expect(second).rejects.toThrow('nor this')
  expect(await third).toBe(3)
})

test('who asks while others wait is served with them, and by nothing that had begun', async () => {
  const begun: string[] = []
  let asked = ''
  const join = coalesce(async () => {
    begun.push(asked)
    await pause()
    if (asked.endsWith('fails')) throw new Error(asked)
  })
  const ask = (name: string) => {
    asked = name
    return join()
  }
  const first = ask('first')
  await Promise.resolve()
  await Promise.resolve()
  await Promise.all([first, ask('second'), ask('third'), ask('fourth')])
  expect(begun).toEqual(['first', 'fourth'])
  await expect(ask('this fails')).rejects.toThrow('this fails')
  await ask('fifth')
  expect(begun).toHaveLength(4)
})

test('of several owners each has one in turn; one that fails holds nobody up', async () => {
  const inTurn = createFairMutex()
  const done: string[] = []
  const work = (name: string) => async () => {
    await new Promise<void>((resolve) => setImmediate(resolve))
    done.push(name)
    if (name === 'a2') throw new Error(name)
  }
  const many = ['a1', 'a2', 'a3', 'a4'].map((name) => inTurn('a', work(name)))
  const others = ['b1', 'b2'].map((name) => inTurn('b', work(name)))
  const ends = await Promise.allSettled([...many, ...others])
  expect(ends.map(({ status }) => status === 'rejected')).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ])
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  expect(await inTurn('c', async () => 'next')).toBe('next')
})

test('work of one owner waits for his alone, also where that has failed', async () => {
  const inTurn = createKeyedMutex()
  const seen: string[] = []
  const { promise: never } = Promise.withResolvers<void>()
  void inTurn('slow', () => never)
  const failing = inTurn('one', async () => {
    await pause()
    seen.push('first')
    throw new Error('It failed.')
  })
  const second = inTurn('one', async () => seen.push('second'))
  const waiting = inTurn('slow', async () => seen.push('waiting'))
  expect(failing).rejects.toThrow('It failed.')
  await second
  expect(seen).toEqual(['first', 'second'])
  expect(Bun.peek.status(waiting)).toBe('pending')
})
