import { expect, test } from 'bun:test'
import {
  createMemoryBudget,
  Lease,
  type MemoryBudget,
  type MemoryWait,
  smallLease,
} from '../../src/gateway/memory/memory-budget.ts'

const never = new AbortController().signal
const long: MemoryWait = { waitMs: 30_000, signal: never }
const large = smallLease + 1

/** Room for three large leases besides what is kept for small ones. */
const roomForThree = () => createMemoryBudget({ totalBytes: 4 * large })

/** What becomes of a lease: its name comes up when it has what it wants, or the word of its refusal. */
function asker(budget = roomForThree()) {
  const happened: string[] = []
  const leases = new Map<string, Lease>()
  return {
    ...{ budget, happened },
    async ask(name: string, owner: string, bytes = large, how = long) {
      const lease = new Lease(owner)
      leases.set(name, lease)
      try {
        await budget.take(lease, bytes, how)
        happened.push(name)
      } catch (error) {
        happened.push(`${name}: ${(error as { kind?: string }).kind ?? String(error)}`)
      }
    },
    end(name: string) {
      const lease = leases.get(name)
      if (lease) budget.end(lease)
    },
  }
}

/** All that is to happen without anything else has happened. */
const rest = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Nobody looks at what becomes of it. */
const inVain = (coming: void | Promise<void>) => void Promise.resolve(coming).catch(() => {})

test('what is taken and given back adds up to nothing', () => {
  const budget = roomForThree()
  const lease = new Lease('a')
  for (const bytes of [10, large, 5]) expect(budget.tryTake(lease, bytes)).toBeTrue()
  budget.give(lease, 5)
  expect(budget.usedBytes()).toBe(10 + large)
  budget.end(lease)
  budget.end(lease)
  expect(budget.usedBytes()).toBe(0)
})

test('what is given back behind the end of its lease is not given back twice', () => {
  const budget = roomForThree()
  const lease = new Lease('a')
  budget.tryTake(lease, 2 * large)
  budget.end(lease)
  budget.give(lease, large) // whoever worked on it has only now come to its end
  expect([budget.usedBytes(), lease.bytes]).toEqual([0, 0])
})

test('who finds no room waits until it is given back', async () => {
  const { ask, end, happened, budget } = asker()
  for (const name of ['a', 'b', 'c', 'd']) void ask(name, name)
  await rest()
  expect([happened.join(), budget.waiting()]).toEqual(['a,b,c', 1])
  end('b')
  await rest()
  expect([happened.join(), budget.waiting()]).toEqual(['a,b,c,d', 0])
})

test('who waits in vain is told so, and when to come again', async () => {
  const { budget } = asker()
  for (const owner of ['a', 'b', 'c']) budget.tryTake(new Lease(owner), large)
  const late = budget.take(new Lease('d'), large, { waitMs: 1, signal: never })
  const error = await Promise.resolve(late).catch((thrown) => thrown)
  expect(error).toMatchObject({ kind: 'overloaded', status: 429, details: { retryAfter: 2 } })
  expect(error.message).toContain('memory of this gateway')
  expect([budget.refused(), budget.waiting()]).toEqual([1, 0])
})

test('what is larger than all that there is for one is refused at once', () => {
  const budget = roomForThree()
  expect(() => budget.take(new Lease('a'), budget.largestBytes + 1, long)).toThrow('server.memory')
})

test('a part is kept for small ones, which large ones that wait do not hold up', async () => {
  const { ask, happened } = asker()
  for (const name of ['a', 'b', 'c', 'd']) void ask(name, name)
  await ask('small', 'e', 100)
  expect(happened).toEqual(['a', 'b', 'c', 'small'])
})

test('owners who wait take turns, whoever sent more of them', async () => {
  const { ask, end, happened } = asker()
  for (const name of ['a', 'b', 'c']) void ask(name, name)
  for (const name of ['x1', 'x2', 'x3']) void ask(name, 'x')
  void ask('y', 'y')
  await rest()
  for (const name of ['a', 'b', 'c']) end(name)
  await rest()
  expect(happened).toEqual(['a', 'b', 'c', 'x1', 'y'])
})

test('one owner has no more than half of it while he has some', async () => {
  const { ask, end, happened } = asker(createMemoryBudget({ totalBytes: 8 * large }))
  for (const name of ['x1', 'x2', 'x3', 'x4']) void ask(name, 'x')
  void ask('y', 'y')
  await rest()
  expect(happened).toEqual(['x1', 'x2', 'x3', 'y'])
  end('x1')
  await rest()
  expect(happened).toEqual(['x1', 'x2', 'x3', 'y', 'x4'])
})

test('one that needs much is not passed by others of its size for ever', async () => {
  const { ask, end, happened } = asker(createMemoryBudget({ totalBytes: 8 * large }))
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) void ask(name, name)
  void ask('big', 'g', 3 * large)
  void ask('next', 'h')
  await rest()
  for (const name of ['a', 'b']) end(name)
  await rest()
  expect(happened).not.toContain('next')
  end('c')
  await rest()
  expect(happened.slice(6)).toEqual(['big'])
})

test('what holds bytes already goes before all who have just come', async () => {
  const { ask, end, happened } = asker()
  for (const name of ['a', 'b', 'c']) void ask(name, name)
  void ask('new', 'd')
  void ask('work', 'a', large, { ...long, isAhead: true })
  await rest()
  end('b')
  await rest()
  expect(happened.slice(3)).toEqual(['work'])
})

test('who leaves, or has ended, holds nothing and keeps nobody waiting', async () => {
  const { ask, end, happened, budget } = asker()
  for (const name of ['a', 'b', 'c']) void ask(name, name)
  const leaving = new AbortController()
  void ask('left', 'd', large, { ...long, signal: leaving.signal })
  void ask('ended', 'e')
  void ask('stays', 'f')
  await rest()
  leaving.abort(new Error('left'))
  end('ended')
  end('a')
  await rest()
  expect(happened.slice(3)).toEqual(['left: Error: left', 'ended: no_channel', 'stays'])
  for (const name of ['b', 'c', 'stays']) end(name)
  expect([budget.usedBytes(), budget.waiting()]).toEqual([0, 0])
})

test('nothing large is let in while the process really has no room; small ones are', async () => {
  let isFree = false
  const { ask, happened } = asker(
    createMemoryBudget({ totalBytes: 8 * large, hasFreeMemory: () => isFree }),
  )
  const waiting = ask('large', 'a')
  await ask('small', 'b', 100)
  expect(happened).toEqual(['small'])
  isFree = true
  await waiting
  expect(happened).toEqual(['small', 'large'])
})

test('small ones go beyond the sums, which are reckoned high, while the process really has room', () => {
  let isFree = true
  const totalBytes = 4 * large
  const budget = createMemoryBudget({ totalBytes, hasFreeMemory: () => isFree })
  let owners = 0
  const take = () => budget.tryTake(new Lease(`owner ${owners++}`), large / 8)
  for (let at = 0; at < 32; at++) expect(take()).toBeTrue()
  isFree = false
  expect(take()).toBeFalse()
  isFree = true
  for (let at = 0; at < 8; at++) expect(take()).toBeTrue()
  expect(take()).toBeFalse()
})

const takeAll = (budget: MemoryBudget, owner: string, bytes: number) => {
  let count = 0
  while (budget.tryTake(new Lease(owner), bytes)) count++
  return count
}

test('one owner can have all that is reckoned in small leases, and leaves room for others', () => {
  const budget = createMemoryBudget({ totalBytes: 100, hasFreeMemory: () => true })
  expect(takeAll(budget, 'x', 1)).toBe(100)
  expect(takeAll(budget, 'y', 1)).toBe(20)
  expect(takeAll(budget, 'z', 1)).toBe(4)
})

test('a small lease that became large leaves nothing of itself among the small ones', () => {
  const budget = createMemoryBudget({ totalBytes: 8 * smallLease })
  const grown = new Lease('a')
  for (const bytes of [smallLease - 1, 2]) expect(budget.tryTake(grown, bytes)).toBeTrue()
  budget.end(grown)
  for (const owner of ['b', 'c', 'd', 'e', 'f', 'g', 'h'])
    expect(budget.tryTake(new Lease(owner), smallLease)).toBeTrue()
  expect(budget.tryTake(new Lease('a'), smallLease)).toBeTrue()
})

test('owners who hold much of the small ones keep nobody waiting, and wait for themselves', async () => {
  const { ask, happened, budget } = asker(createMemoryBudget({ totalBytes: 100 }))
  expect([takeAll(budget, 'x', 1), takeAll(budget, 'y', 1)]).toEqual([80, 16])
  void ask('x', 'x', 1)
  void ask('y', 'y', 1)
  await ask('z', 'z', 1)
  expect(happened).toEqual(['z'])
})

test('a body that comes too slowly is given up, but only while others wait for its memory', () => {
  let now = 0
  const budget = createMemoryBudget({ totalBytes: 4 * large, tick: () => now })
  const slow = new Lease('a')
  const given: string[] = []
  budget.tryTake(slow, 3 * large)
  budget.startReading(slow, (error) => given.push(error.message))
  now = 60_000
  budget.look()
  expect(given).toEqual([])
  inVain(budget.take(new Lease('b'), large, long))
  expect(given).toEqual([expect.stringContaining('too slowly')])
  expect(slow.isOver).toBeTrue()
  budget.end(slow)
  expect([budget.usedBytes(), budget.waiting()]).toEqual([large, 0])
})

test('a body has five seconds, and one more for each mebibyte', () => {
  let now = 0
  const budget = createMemoryBudget({ totalBytes: 4 * large, tick: () => now })
  const [slow, come] = [new Lease('a'), new Lease('a')]
  const given: string[] = []
  budget.tryTake(slow, 2 * smallLease) // 2 MiB, four times
  budget.tryTake(come, 10)
  budget.startReading(slow, () => given.push('slow'))
  budget.startReading(come, () => given.push('come'))
  budget.endReading(come)
  inVain(budget.take(new Lease('b'), 2 * large, long))
  now = 7_000
  budget.look()
  expect(given).toEqual([])
  now = 7_001
  budget.look()
  expect(given).toEqual(['slow'])
})

test('a body that waits for memory itself is not slow', () => {
  let now = 60_000
  const budget = createMemoryBudget({ totalBytes: 4 * large, tick: () => now })
  const [holds, waits] = [new Lease('a'), new Lease('b')]
  const given: string[] = []
  budget.tryTake(holds, 3 * large)
  for (const lease of [holds, waits]) budget.startReading(lease, () => given.push(lease.owner))
  inVain(budget.take(waits, large, long))
  budget.look()
  expect(given).toEqual([])
  now = 120_000
  budget.look()
  expect(given).toEqual(['a'])
})

test('what goes ahead and what has just come take turns where both have room', async () => {
  const { ask, end, happened } = asker(createMemoryBudget({ totalBytes: 4 * large }))
  for (const name of ['a', 'b', 'c']) void ask(name, name)
  for (const name of ['ahead 1', 'ahead 2', 'ahead 3'])
    void ask(name, 'x', large, { ...long, isAhead: true })
  void ask('new', 'y')
  await rest()
  for (const name of ['a', 'b', 'c']) end(name)
  await rest()
  expect(happened.slice(3)).toEqual(['ahead 1', 'new', 'ahead 2'])
})

test('small ones stay within the sums while large ones are in, which nothing shows yet', () => {
  const budget = createMemoryBudget({ totalBytes: 4 * large, hasFreeMemory: () => true })
  const one = new Lease('a')
  expect(budget.tryTake(one, large)).toBeTrue()
  const small = () => budget.tryTake(new Lease('b'), smallLease / 2)
  const fill = () => {
    while (budget.usedBytes() + smallLease / 2 <= 4 * large)
      budget.tryTake(new Lease(String(budget.usedBytes())), smallLease / 2)
  }
  fill()
  expect(small()).toBeFalse()
  budget.end(one)
  fill()
  expect(small()).toBeTrue()
})

test('what can do without has no more than half of it', () => {
  const budget = roomForThree()
  const lease = new Lease('a')
  expect(budget.tryHold(lease, 2 * large + 1)).toBeFalse()
  expect(budget.tryHold(lease, 100)).toBeTrue()
  const other = new Lease('b')
  expect(budget.tryTake(other, 2 * large)).toBeTrue()
  expect(budget.tryHold(lease, 100)).toBeFalse()
  expect(budget.tryTake(lease, 100)).toBeTrue()
  budget.end(lease)
  expect(budget.tryHold(lease, 1)).toBeFalse()
})
