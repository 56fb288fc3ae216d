import { expect, test } from 'bun:test'
import { createPriceTimes } from '../../../src/app/verify/prices.ts'
import type { CheckedRequest, PriceUses } from '../../../src/store/ports/verification.ts'
import { now } from '../../store/support.ts'
import { price, request } from './rows.ts'

const dayMs = 86_400_000
const none: PriceUses = { lastBefore: undefined, firstAfter: undefined }
const use = (row: number, createdAt: number) => ({ row, createdAt, durationMs: 500 })
const came = price({ validFrom: now + dayMs })
const replaced = price({ replacedAt: now - dayMs })

async function isHeld(
  by: typeof came,
  uses: Partial<PriceUses>,
  changes: Partial<CheckedRequest> = {},
): Promise<boolean> {
  const timed = createPriceTimes({ usesAround: async () => ({ ...none, ...uses }) })
  return (await timed(request({ row: 10, ...changes }), by)) === by
}

test.each<[string, typeof came, Partial<PriceUses>, boolean]>([
  [
    'came later, and an older one was charged by since',
    came,
    { lastBefore: use(11, now + 120_000) },
    true,
  ],
  ['came later, and nobody was charged by an older one since', came, {}, false],
  [
    'came later; who was charged by an older one had ended before',
    came,
    { lastBefore: use(9, now + 120_000) },
    false,
  ],
  [
    'came later; who was charged by an older one was under way then',
    came,
    { lastBefore: use(11, now) },
    false,
  ],
  [
    'was replaced, and a newer one was charged by before',
    replaced,
    { firstAfter: use(9, now - 120_000) },
    true,
  ],
  [
    'was replaced, and nobody was charged by a newer one before',
    replaced,
    { firstAfter: use(11, now - 120_000) },
    false,
  ],
  [
    'was replaced; who was charged by a newer one was under way then',
    replaced,
    { firstAfter: use(9, now - 1_000) },
    false,
  ],
])('a price that by the clock %s', async (_, by, uses, held) => {
  expect(await isHeld(by, uses)).toBe(held)
})

test('a request during which somebody set the clock is held to no time', async () => {
  const uses = { lastBefore: use(11, now + 120_000), firstAfter: use(9, now - 120_000) }
  for (const by of [came, replaced]) {
    expect(await isHeld(by, uses, { entryCreatedAt: now + dayMs })).toBeFalse()
    expect(await isHeld(by, uses, { entryCreatedAt: null })).toBeFalse()
  }
})

test('nor is one that was charged before those that were stored before it', async () => {
  const timed = createPriceTimes({
    usesAround: async () => ({ ...none, lastBefore: use(11, now + 120_000) }),
  })
  const later = request({ row: 9, createdAt: now + dayMs, entryCreatedAt: now + dayMs + 500 })
  const one = price()
  expect(await timed(later, one)).toBe(one)
  expect((await timed(request({ row: 10 }), came)).validFrom).toBe(Number.NEGATIVE_INFINITY)
})

test('nobody looks for other charges where times and prices agree', async () => {
  const timed = createPriceTimes({ usesAround: () => Promise.reject(new Error('looked')) })
  const one = price()
  expect(await timed(request(), one)).toBe(one)
})
