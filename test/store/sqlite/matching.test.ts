import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { BilledRow, Matching, OwnAttempt } from '../../../src/store/ports/matching.ts'
import { createMatching } from '../../../src/store/sqlite/matching.ts'
import { createTempDir } from '../../support/temp-dir.ts'

let matching: Matching
beforeEach(() => {
  matching = createMatching()
})
afterEach(() => matching.close())

const billed = (id: string, changes: Partial<BilledRow> = {}): BilledRow => ({
  id,
  time: 1000,
  inputTokens: 100,
  outputTokens: 20,
  cachedTokens: null,
  costNano: 5,
  ...changes,
})

/** 60 uncached + 30 read from a cache + 10 written = 100 in; 20 out, 8 of them reasoning. */
const own = (upstreamId: string, changes: Partial<OwnAttempt> = {}): OwnAttempt => ({
  upstreamId,
  requestId: `req_${upstreamId}`,
  channel: 'main',
  model: 'small',
  startedAt: 1000,
  status: 200,
  cause: null,
  estimated: false,
  amountNano: 7,
  isExpected: true,
  inputTokens: 60,
  cacheReadTokens: 30,
  cacheWriteTokens: 10,
  outputTokens: 20,
  reasoningTokens: 8,
  ...changes,
})

const idsOf = (rows: Iterable<{ id: string }>) => [...rows].map(({ id }) => id)
const ownIdsOf = (rows: Iterable<{ upstreamId: string }>) =>
  [...rows].map(({ upstreamId }) => upstreamId)
const differing = () => {
  const { form } = matching.compare()
  return [...matching.differing(form)].map((row) => row.billed.id)
}

test('tells what only they know, what only we know, and what both know otherwise', () => {
  matching.addBilled([billed('same'), billed('theirs'), billed('other', { outputTokens: 21 })])
  for (const id of ['same', 'ours', 'other']) expect(matching.addOwn(own(id))).toBeTrue()
  const sums = matching.compare()
  expect(sums).toMatchObject({
    billed: { ids: 3, lines: 3, inputTokens: 300, outputTokens: 61, costNano: 15n },
    repeatedIds: 0,
    matched: {
      billed: { ids: 2, outputTokens: 41, costNano: 10n },
      own: { ids: 2, outputTokens: 40, cacheReadTokens: 60, amountNano: 14n },
    },
    unknownToUs: { ids: 1, costNano: 5n },
    notBilled: { ids: 1, inputTokens: 60, amountNano: 7n },
    differing: 1,
  })
  expect(idsOf(matching.unknownToUs())).toEqual(['theirs'])
  expect(ownIdsOf(matching.notBilled())).toEqual(['ours'])
  expect([...matching.differing(sums.form)]).toEqual([
    {
      billed: { ...billed('other', { outputTokens: 21 }), lines: 1 },
      own: expect.objectContaining({ requestId: 'req_other', outputTokens: 20, estimated: false }),
    },
  ])
})

test('nothing on either side is no difference', () => {
  expect(matching.compare()).toMatchObject({
    billed: { ids: 0, inputTokens: null, costNano: null },
    notBilled: { ids: 0, inputTokens: 0, amountNano: 0n },
    unknownToUs: { ids: 0 },
    differing: 0,
  })
})

test('an attempt that need not be billed counts only when it is', () => {
  matching.addBilled([billed('early')])
  expect(matching.addOwn(own('early', { isExpected: false }))).toBeTrue()
  expect(matching.addOwn(own('late', { isExpected: false }))).toBeFalse()
  const { notBilled, unknownToUs, matched } = matching.compare()
  expect([notBilled.ids, unknownToUs.ids, matched.own.ids]).toEqual([0, 0, 1])
})

test('ids that repeat are added up, on both sides, and told', () => {
  matching.addBilled([billed('a'), billed('a', { inputTokens: null, costNano: null })])
  matching.addBilled([billed('a', { inputTokens: 1 })])
  matching.addOwn(own('a'))
  matching.addOwn(own('a', { estimated: true, requestId: 'req_again' }))
  const { billed: all, repeatedIds, form } = matching.compare()
  expect(all).toMatchObject({ ids: 1, lines: 3, inputTokens: 101, outputTokens: 60, costNano: 10n })
  expect(repeatedIds).toBe(1)
  expect([...matching.differing(form)][0]).toMatchObject({
    billed: { lines: 3, inputTokens: 101 },
    own: { attempts: 2, inputTokens: 120, outputTokens: 40, estimated: true, amountNano: 14 },
  })
})

test('counts that the file does not tell make no difference', () => {
  matching.addBilled([billed('a', { inputTokens: null, outputTokens: null })])
  matching.addOwn(own('a'))
  expect(differing()).toEqual([])
  matching.addBilled([billed('b', { cachedTokens: 29 })])
  matching.addOwn(own('b'))
  expect(differing()).toEqual(['b'])
})

test.each([
  ['all of it', 100, 20, { input: 'all', output: 'all' }],
  ['input without cache reads', 70, 20, { input: 'without_cache_reads', output: 'all' }],
  ['input without cache', 60, 20, { input: 'uncached', output: 'all' }],
  ['output without reasoning', 100, 12, { input: 'all', output: 'without_reasoning' }],
] as const)('finds how they count: %s', (_, inputTokens, outputTokens, form) => {
  matching.addBilled(['a', 'b', 'c'].map((id) => billed(id, { inputTokens, outputTokens })))
  matching.addBilled([billed('odd', { inputTokens: 99, outputTokens: 13 })])
  for (const id of ['a', 'b', 'c', 'odd']) matching.addOwn(own(id))
  expect(matching.compare().form).toEqual(form)
  expect(differing()).toEqual(['odd'])
})

test('lists are in order of time, and as long as asked', () => {
  matching.addBilled(['c', 'a', 'b'].map((id, at) => billed(id, { time: at })))
  for (const [at, id] of ['z', 'x', 'y'].entries()) matching.addOwn(own(id, { startedAt: at }))
  expect(idsOf(matching.unknownToUs())).toEqual(['c', 'a', 'b'])
  expect(idsOf(matching.unknownToUs(2))).toEqual(['c', 'a'])
  expect(ownIdsOf(matching.notBilled(1))).toEqual(['z'])
})

test('sums of money beyond the exact numbers stay exact', () => {
  const costNano = Number.MAX_SAFE_INTEGER
  matching.addBilled(['a', 'b', 'c'].map((id) => billed(id, { costNano })))
  expect(matching.compare().billed.costNano).toBe(3n * BigInt(costNano))
})

test.skipIf(process.platform === 'win32')(
  'leaves nothing in the folder for temporary files',
  () => {
    using folder = createTempDir()
    const { TMPDIR } = process.env
    process.env.TMPDIR = folder.path
    const other = createMatching()
    try {
      other.addBilled([billed('a')])
      expect(readdirSync(folder.path)).toEqual([])
      expect(other.compare().billed.ids).toBe(1)
    } finally {
      other.close()
      if (TMPDIR === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = TMPDIR
    }
  },
)
