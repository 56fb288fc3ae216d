import { createLimiter, type Limiter, type Subject } from '../../src/gateway/limits/limiter.ts'
import type { Limits } from '../../src/store/ports/catalog.ts'
import { noLimits } from '../support/no-limits.ts'

/**
 * What limits cost on the hot path: nanoseconds per request for entering and ending, and what a
 * token that is flooded does to a calm one beside it.
 *
 *   bun test/bench/limits.ts [rounds]
 */
const [rounds = 9] = process.argv.slice(2).map(Number)
const perRound = 100_000
const tick = () => performance.now()
const atOnce = { waitMs: 0, signal: new AbortController().signal }

const median = (values: readonly number[]) => quantile(values, 0.5)

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

const subjects = (tokenId: number, limits: Partial<Limits>): Subject[] =>
  (['token', 'account', 'group'] as const).map((kind) => ({
    kind,
    id: kind === 'token' ? tokenId : 1,
    name: kind,
    limits: { ...noLimits, ...limits },
  }))

/** Nanoseconds per request, of `perRound` in a row. */
function measure(limiter: Limiter, asked: readonly (readonly Subject[])[]): number {
  const started = performance.now()
  for (let at = 0; at < perRound; at++) {
    const permit = limiter.acquire(asked[at % asked.length] ?? [], 100, atOnce)
    if (permit instanceof Promise) throw new Error('a request had to wait')
    permit.used(90)
    permit.release()
  }
  return ((performance.now() - started) / perRound) * 1_000_000
}

const wide = { rpm: 1e9, concurrency: 1e6 }
const cases: readonly (readonly [string, readonly (readonly Subject[])[]])[] = [
  ['no limits', [subjects(1, {})]],
  ['rpm and concurrency, three subjects', [subjects(1, wide)]],
  ['rpm, tpm and concurrency, three subjects', [subjects(1, { ...wide, tpm: 1e9 })]],
  [
    'the same, 50,000 tokens in turn',
    Array.from({ length: 50_000 }, (_, id) => subjects(id, { ...wide, tpm: 1e9 })),
  ],
]
for (const [name, asked] of cases) {
  const limiter = createLimiter(tick)
  measure(limiter, asked)
  const found = Array.from({ length: rounds }, () => measure(limiter, asked))
  limiter.stop()
  console.log(`${name}: ${median(found).toFixed(0)} ns per request`)
}

/** The calm token's times to enter, in microseconds, with so many of the flooded one in between. */
async function calmBeside(flood: number, waitMs: number): Promise<number[]> {
  const limiter = createLimiter(tick)
  const calm = subjects(1, { rpm: 1e6 })
  const flooded = subjects(2, {}).map((subject) =>
    subject.kind === 'token' ? { ...subject, limits: { ...noLimits, rpm: 1000 } } : subject,
  )
  const signal = AbortSignal.timeout(60_000)
  const found: number[] = []
  for (let round = 0; round < 500; round++) {
    for (let at = 0; at < flood; at++) {
      try {
        const entering = limiter.acquire(flooded, 100, { waitMs, signal })
        if (entering instanceof Promise) entering.catch(() => {})
      } catch {
        // refused, as it is to be
      }
    }
    const started = performance.now()
    const permit = await limiter.acquire(calm, 100, atOnce)
    found.push((performance.now() - started) * 1000)
    permit.release()
    await new Promise((resolve) => setImmediate(resolve))
  }
  limiter.stop()
  return found
}

for (const [name, flood, waitMs] of [
  ['no flood', 0, 0],
  ['beside a flood that is refused', 100, 0],
  ['beside a flood that waits', 100, 120_000],
] as const) {
  await calmBeside(flood, waitMs) // warm
  const found = await calmBeside(flood, waitMs)
  console.log(
    `a calm token's entering, ${name}: p50 ${quantile(found, 0.5).toFixed(1)} µs, ` +
      `p99 ${quantile(found, 0.99).toFixed(1)} µs`,
  )
}
