import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import {
  hasDifferences,
  type ReconcileOptions,
  reconcile,
} from '../../../src/app/reconcile/reconcile.ts'
import type { AttemptRow, RequestRow } from '../../../src/store/ports/records.ts'
import type { Store } from '../../../src/store/ports/store.ts'
import { attemptRow, now, seed, settlement } from '../../store/support.ts'
import { openStore } from '../../support/empty-store.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

const second = 1000
const chatUsage = JSON.stringify({ prompt_tokens: 16, completion_tokens: 20 })

let folder: TempDir
let store: Store
beforeEach(async () => {
  folder = createTempDir('tollgate-reconcile-test')
  store = await openStore(() => now)
  await seed(store)
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

/** Stores a request `at` seconds after the fixed time, with one attempt of the same id. */
async function asked(
  at: number,
  id: string | null,
  attempt: Partial<AttemptRow> = {},
  request: Partial<RequestRow> = {},
): Promise<void> {
  const startedAt = now + at * second
  const row = attemptRow({
    startedAt,
    durationMs: 100,
    upstreamRequestId: id,
    usageRaw: chatUsage,
    ...attempt,
  })
  const settle = [settlement({ requestId: `req_${at}`, createdAt: startedAt, ...request }, [row])]
  await store.records.commit({ settle })
}

/** One row of a usage file. */
const row = (at: number, id: string, input: unknown = 16, output: unknown = 20, cost = '0.01') => ({
  id,
  time: new Date(now + at * second).toISOString(),
  input_tokens: input,
  output_tokens: output,
  cost,
})

async function compare(rows: readonly object[], options: Partial<ReconcileOptions> = {}) {
  const file = folder.join('usage.json')
  writeFileSync(file, JSON.stringify(rows))
  const found = await reconcile(store.records, { file, channelIds: [1], ...options })
  const { matching, ...rest } = found
  const lists = {
    unknownToUs: [...matching.unknownToUs()].map(({ id }) => id),
    notBilled: [...matching.notBilled()].map(({ upstreamId }) => upstreamId),
    differing: [...matching.differing(found.sums.form)].map(({ billed }) => billed.id),
  }
  matching.close()
  return { ...rest, ...lists, differs: hasDifferences(found.sums) }
}

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'not refused',
    (error: Error) => `${error.name}: ${error.message}`,
  )

test('what both know alike is no difference', async () => {
  await asked(0, 'a')
  await asked(60, 'b')
  const found = await compare([row(0, 'a'), row(60, 'b')])
  expect(found).toMatchObject({ differs: false, unknownToUs: [], notBilled: [], differing: [] })
  expect(found.sums.matched.billed.costNano).toBe(20_000_000n)
  expect(found.columns).toEqual({
    id: 'id',
    input: 'input_tokens',
    output: 'output_tokens',
    cost: 'cost',
    time: 'time',
  })
})

test('billed and unknown to us; ours and not billed; other counts', async () => {
  await asked(0, 'a')
  await asked(10, 'forgotten')
  await asked(20, 'more')
  await asked(60, 'b')
  const found = await compare([
    row(0, 'a'),
    row(5, 'invented'),
    row(20, 'more', 16, 200),
    row(60, 'b'),
  ])
  expect(found).toMatchObject({
    differs: true,
    unknownToUs: ['invented'],
    notBilled: ['forgotten'],
    differing: ['more'],
  })
})

test('only attempts that the upstream answered, or that used something, must be billed', async () => {
  await asked(0, 'a')
  await asked(10, 'refused', { status: 503, usageRaw: null })
  await asked(20, 'failed-but-used', { status: 500 })
  await asked(30, 'cut', { usageRaw: null })
  await asked(60, 'b')
  expect((await compare([row(0, 'a'), row(60, 'b')])).notBilled).toEqual(['failed-but-used', 'cut'])
})

test('within the span of the file only: an attempt that reaches beyond it may be in the next one', async () => {
  await asked(-5, 'before')
  await asked(0, 'a')
  await asked(50, 'long', { durationMs: 20_000 })
  await asked(60, 'b')
  await asked(70, 'after')
  const found = await compare([row(0, 'a'), row(60, 'b')])
  expect(found).toMatchObject({ differs: false, attempts: { atTheEdge: 1, withoutId: 0 } })
  expect(found.span).toEqual({ since: now, until: now + 60 * second + 1 })
  const wider = await compare([row(0, 'a'), row(60, 'b')], {
    since: now - 10 * second,
    until: now + 80 * second,
  })
  expect(wider.notBilled).toEqual(['before', 'long', 'after'])
})

test('their clock, or their moment of billing, may lie outside of the span of our attempt', async () => {
  await asked(-3600, 'early')
  await asked(7200, 'late')
  const found = await compare([row(0, 'early'), row(60, 'late')])
  expect(found).toMatchObject({ differs: false, unknownToUs: [], notBilled: [] })
})

test('a span that was asked for leaves rows outside of it out, and says how many', async () => {
  await asked(0, 'a')
  await asked(60, 'b')
  const found = await compare([row(0, 'a'), row(60, 'x'), row(90, 'y')], {
    until: now + 30 * second,
  })
  expect(found).toMatchObject({
    differs: false,
    skipped: { outsideSpan: 2, withoutId: 0 },
    span: { since: now, until: now + 30 * second },
  })
})

test('a day without a time means all of that day', async () => {
  await asked(0, 'a')
  await asked(3600, 'forgotten')
  const found = await compare([{ id: 'a', date: '2026-11-21', input_tokens: 16 }])
  expect(found.notBilled).toEqual(['forgotten'])
})

test('without times the span must be told', async () => {
  await asked(0, 'a')
  const rows = [{ id: 'a', input_tokens: 16 }]
  expect(await refusalOf(compare(rows))).toMatch(
    /^UserError: .*usage\.json has no column with times that is known.*--since and --until/,
  )
  const span = { since: now - second, until: now + second }
  expect(await compare(rows, span)).toMatchObject({ differs: false })
  const blank = [{ id: 'a', time: '' }]
  expect(await refusalOf(compare(blank))).toContain('usage.json has no times in it')
})

test('usage is read as its protocol counts it', async () => {
  const wire = {
    input_tokens: 5,
    output_tokens: 7,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 20,
  }
  await asked(
    0,
    'a',
    { usageRaw: JSON.stringify(wire) },
    { clientProtocol: 'messages', upstreamProtocol: 'messages' },
  )
  const found = await compare([{ ...row(0, 'a', 125, 7), cached_tokens: 100 }])
  expect(found).toMatchObject({ differs: false })
  expect(found.sums.matched.own).toMatchObject({
    inputTokens: 5,
    cacheReadTokens: 100,
    cacheWriteTokens: 20,
  })
})

test('without a report of the upstream our own counts are compared, of the last attempt only', async () => {
  const startedAt = now
  const attempts = [
    attemptRow({ startedAt, status: 200, cause: 'timeout_idle', upstreamRequestId: 'first' }),
    attemptRow({ startedAt, upstreamRequestId: 'last' }),
  ]
  const request = { requestId: 'req_1', createdAt: now, estimated: true }
  await store.records.commit({ settle: [settlement(request, attempts)] })
  // 10 + 3 + 2 + 1 in, 20 out
  const found = await compare([row(0, 'first', 16, 20), row(0, 'last', 16, 20)])
  expect(found.differing).toEqual(['first'])
  expect(found.sums.matched.own).toMatchObject({ ids: 2, outputTokens: 20, amountNano: 100n })
})

test('attempts without an upstream id, rows without an id, and rows that repeat are told', async () => {
  await asked(0, 'a')
  await asked(10, null)
  await asked(60, 'b')
  const found = await compare([
    row(0, 'a', 8, 10, '0.005'),
    row(1, 'a', 8, 10, '0.005'),
    { ...row(20, ''), time: 'Total' },
    row(60, 'b'),
  ])
  expect(found).toMatchObject({
    differs: false,
    attempts: { withoutId: 1 },
    skipped: { withoutId: 1 },
    sums: { repeatedIds: 1, billed: { ids: 2, lines: 3, costNano: 20_000_000n } },
  })
})

test('attempts at other channels are not looked at', async () => {
  await asked(0, 'a')
  expect(await compare([row(0, 'a')], { channelIds: [7] })).toMatchObject({ unknownToUs: ['a'] })
})

test('a value that can’t be read is named with its row and column', async () => {
  const file = folder.join('usage.json')
  expect(await refusalOf(compare([row(0, 'a'), row(1, 'b', 'many')]))).toBe(
    `UserError: ${file}, row 2, column "input_tokens": "many" is not a whole number of tokens. ` +
      'Put it right, or name another column with --input-column.',
  )
  const wrongTime = refusalOf(compare([{ ...row(0, 'a'), time: '21.11.2026' }]))
  expect(await wrongTime).toContain('column "time": "21.11.2026" is not a time')
})
