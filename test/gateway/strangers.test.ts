import { expect, test } from 'bun:test'
import { createKnownKeys, createUnknownKeyLimit } from '../../src/gateway/admit/known-keys.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'

const hash = createSecretBox('a secret').keyedHash
const from = '192.0.2.7'

/** Keys in a table of the test's, and who waits for a refusal. */
async function scene(keys: readonly string[] = ['sk-good']) {
  const rows = keys.map((key, index) => ({ id: index + 1, keyHash: hash(key) }))
  const pages = async (id: number, limit: number) =>
    rows.filter((row) => row.id > id).slice(0, limit)
  const known = createKnownKeys({ hashesAfter: pages })
  let now = 0
  const waiting: (() => void)[] = []
  const strangers = createUnknownKeyLimit(known, () => now, {
    pause: () => new Promise((resolve) => waiting.push(resolve)),
  })
  const read = async () => {
    for (let turn = 0; turn < 20 + rows.length / 100; turn++) await undefined
  }
  return {
    ...{ rows, known, strangers, waiting, read },
    pass(ms: number) {
      now += ms
    },
    /** Keys of nobody; how many of them were looked up. */
    flood(count: number, address: (index: number) => string = () => from): number {
      let lookUps = 0
      for (let index = 0; index < count; index++) {
        if (strangers.isRefused(hash(`sk-bad-${index}`), address(index))) continue
        lookUps++
        strangers.lookedUp(address(index))
      }
      return lookUps
    },
  }
}

test('above a rate unknown keys are not looked up, and a good one always is', async () => {
  const { strangers, flood, read, pass } = await scene()
  expect(flood(10)).toBe(10)
  flood(90)
  await read()
  expect(flood(5_000)).toBe(0)
  expect(strangers.isRefused(hash('sk-good'), from)).toBeFalse()
  // Others are not touched by it, and it ends by itself.
  expect(strangers.isRefused(hash('sk-bad'), '198.51.100.1')).toBeFalse()
  pass(60_000)
  expect(flood(10)).toBe(10)
})

test('keys that a token has count no more', async () => {
  const { strangers, flood, read } = await scene()
  for (let index = 0; index < 1_000; index++) {
    strangers.lookedUp(from)
    strangers.found(from)
  }
  expect(flood(10)).toBe(10)
  // By now all keys would be known, if they were asked for.
  await read()
  expect(flood(9)).toBe(9)
  expect(strangers.isRefused(hash('sk-bad'), from)).toBeFalse()
})

test.each([
  ['a network of IPv4', (index: number) => `192.0.2.${index % 250}`],
  ['a network of IPv6', (index: number) => `2001:db8:1:${(index % 5_000).toString(16)}::1`],
  ['everywhere', (index: number) => `10.${index % 250}.${index % 200}.1`],
])('who asks from %s is counted as one', async (_where, address) => {
  const { flood, read } = await scene()
  flood(2_000, address)
  await read()
  expect(flood(5_000, address)).toBe(0)
})

test('a key that was added here or elsewhere is looked up', async () => {
  const { strangers, flood, read, known, rows } = await scene()
  flood(100)
  await read()
  const isRefused = (key: string) => strangers.isRefused(hash(key), from)
  expect(isRefused('sk-here')).toBeTrue()
  known.add(hash('sk-here'))
  expect(isRefused('sk-here')).toBeFalse()
  rows.push({ id: rows.length + 1, keyHash: hash('sk-elsewhere') })
  expect(isRefused('sk-elsewhere')).toBeTrue()
  known.changed()
  // Until it is known what has changed, any key may be one.
  expect(isRefused('sk-bad')).toBeFalse()
  await read()
  expect([isRefused('sk-elsewhere'), isRefused('sk-bad')]).toEqual([false, true])
})

test('all of many keys are known, and hardly any other seems so', async () => {
  const keys = Array.from({ length: 30_000 }, (_, index) => `sk-good-${index}`)
  const { known, read } = await scene(keys)
  known.prepare()
  await read()
  expect(keys.every((key) => known.mayBe(hash(key)))).toBeTrue()
  const others = Array.from({ length: 10_000 }, (_, index) => `sk-bad-${index}`)
  expect(others.filter((key) => known.mayBe(hash(key))).length).toBeLessThan(10)
})

test('refusals wait, and no more of them than memory has room for', async () => {
  const { strangers, waiting } = await scene()
  const delayed = Array.from({ length: 300 }, () => strangers.delay())
  expect(waiting.length).toBe(256)
  await Promise.all(delayed.slice(256))
  for (const end of waiting) end()
  await Promise.all(delayed)
  void strangers.delay()
  expect(waiting.length).toBe(257)
})
