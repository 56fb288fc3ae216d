import { describe, expect, test } from 'bun:test'
import { createMetrics } from '../../src/app/metrics.ts'
import type { MetricsSource, WorkerRow } from '../../src/app/metrics-listen.ts'
import { buildCatalog } from '../../src/catalog/catalog.ts'
import { createRunningTotals } from '../../src/gateway/availability/availability.ts'
import type { Fault } from '../../src/store/ports/availability.ts'
import { channelWrite, groupWrite } from '../store/support.ts'
import { type MetricFamily, parseExposition } from '../support/exposition.ts'

/** Names that have all that can go wrong in them. */
const wild = 'a"b\\n\n{x="y"},\\ 模型 \u2028'

function scene(workers?: MetricsSource['workers']) {
  const totals = createRunningTotals()
  const names = ['default', wild, 'a,model:b']
  const catalog = buildCatalog(
    {
      channels: ['main', wild].map((name, i) => ({
        ...channelWrite({ name }),
        ...{ id: i + 1, proxySealed: null, keysSealed: new Uint8Array() },
      })),
      groups: names.map((name, i) => ({ ...groupWrite({ name }), id: i + 1 })),
      prices: [],
    },
    () => [],
    () => '',
  )
  const coolings = [{ channelId: 2 }, { channelId: 2 }, { channelId: 99 }]
  const metrics = createMetrics(
    {
      ...{ totals: () => totals, catalog: () => catalog },
      ...{ requestsInFlight: () => 7, streamsInFlight: () => 5, coolings: () => coolings },
      spooled: () => 3,
      ...{ overdrawn: () => 2, load: () => ({}), membership: undefined },
      memory: {
        budget: { totalBytes: 100, usedBytes: () => 40, waiting: () => 3, refused: () => 2 },
      },
      slots: { refused: () => ({ requests: 1, connections: 0 }) },
      ...(workers && { workers }),
    },
    { longestMs: () => 12 },
  )
  return {
    totals,
    read: async () => parseExposition(await metrics.text()),
    contentType: metrics.contentType,
    record(groupId: number, model: string, fault: Fault | null = null, firstByteMs = 120) {
      const timed = { firstByteMs, outputTokens: 10, generationMs: 100 }
      totals.recordRequest({ groupId, model, fault, ...timed })
    },
  }
}

interface Line {
  readonly [label: string]: string | number
  readonly value: number
}

const linesOf = (families: ReadonlyMap<string, MetricFamily>, name: string): readonly Line[] =>
  (families.get(name)?.lines ?? []).map(({ labels, value }) => ({ ...labels, value }))

test('what ended is counted by group, model and outcome', async () => {
  const { record, read } = scene()
  record(1, 'small')
  record(1, 'small')
  record(1, 'small', 'upstream')
  const counted = linesOf(await read(), 'tollgate_requests_total')
  const by = (outcome: string, value: number) => ({
    ...{ group: 'default', model: 'small', outcome, value },
  })
  expect(counted).toEqual([
    by('succeeded', 2),
    by('client', 0),
    by('channel', 0),
    by('model', 0),
    by('upstream', 1),
    by('gateway', 0),
  ])
  record(1, 'small')
  expect(linesOf(await read(), 'tollgate_requests_total')[0]).toEqual(by('succeeded', 3))
})

test('times to the first byte are a histogram per group, in seconds', async () => {
  const { record, read } = scene()
  for (const firstByteMs of [40, 50, 60, 999_999]) record(1, 'small', null, firstByteMs)
  record(1, 'small', 'gateway', 70)
  const lines = (await read()).get('tollgate_first_byte_seconds')?.lines ?? []
  const at = (le: string) => lines.find(({ labels }) => labels.le === le)?.value
  expect([at('0.05'), at('0.1'), at('300'), at('+Inf')]).toEqual([2, 3, 3, 4])
  expect(lines.find(({ name }) => name.endsWith('_sum'))?.value).toBeCloseTo(1_000.149, 6)
  expect(lines.find(({ name }) => name.endsWith('_count'))?.value).toBe(4)
})

test('attempts, refusals, tokens, what is under way and what cools', async () => {
  const { totals, record, read } = scene()
  totals.recordAttempt('main', null)
  totals.recordAttempt('main', 'upstream_timeout')
  totals.recordLimit('token')
  record(2, 'small')
  const families = await read()
  expect(linesOf(families, 'tollgate_attempts_total')).toEqual([
    { channel: 'main', cause: 'none', value: 1 },
    { channel: 'main', cause: 'upstream_timeout', value: 1 },
  ])
  expect(linesOf(families, 'tollgate_limit_refusals_total')).toEqual([{ kind: 'token', value: 1 }])
  expect(linesOf(families, 'tollgate_output_tokens_total')).toEqual([{ group: wild, value: 10 }])
  expect(linesOf(families, 'tollgate_requests_in_flight')).toEqual([{ value: 7 }])
  expect(linesOf(families, 'tollgate_streams_in_flight')).toEqual([{ value: 5 }])
  expect(linesOf(families, 'tollgate_spooled_settlements')).toEqual([{ value: 3 }])
  expect(linesOf(families, 'tollgate_accounts_overdrawn')).toEqual([{ value: 2 }])
  expect(linesOf(families, 'tollgate_channel_cooling')).toEqual([
    { channel: 'main', value: 0 },
    { channel: wild, value: 2 },
  ])
})

test('the budget of memory, and what was refused as overloaded', async () => {
  const families = await scene().read()
  const memoryOf = (name: string) => linesOf(families, `tollgate_memory_${name}`)
  expect(memoryOf('budget_bytes')).toEqual([{ value: 100 }])
  expect(memoryOf('used_bytes')).toEqual([{ value: 40 }])
  expect(memoryOf('waiting')).toEqual([{ value: 3 }])
  expect(linesOf(families, 'tollgate_overload_refusals_total')).toEqual([
    { short: 'memory', value: 2 },
    { short: 'requests', value: 1 },
    { short: 'connections', value: 0 },
  ])
})

test('the process tells how it is', async () => {
  const families = await scene().read()
  const value = (name: string) => linesOf(families, name)[0]?.value ?? Number.NaN
  expect(linesOf(families, 'tollgate_build_info')).toEqual([
    { version: expect.stringMatching(/^\d+\.\d+\.\d+/), value: 1 },
  ])
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  expect(value('process_cpu_seconds_total')).toBeGreaterThan(0)
  expect(value('process_open_fds')).toBeGreaterThan(2)
  expect(value('process_max_fds')).toBeGreaterThan(value('process_open_fds'))
  expect(
    Math.abs(Date.now() / 1000 - process.uptime() - value('process_start_time_seconds')),
  ).toBeLessThan(5)
  expect(value('tollgate_event_loop_lag_seconds')).toBe(0.012)
})

test('each worker is shown, and how many there are', async () => {
  const worker = { requests: 2, streams: 1, residentBytes: 9e7, cpuSeconds: 1.5, lagMs: 30 }
  const rows: readonly WorkerRow[] = [
    { index: 0, openFiles: 40, ...worker },
    { index: 1, openFiles: undefined, ...worker, requests: 5 },
  ]
  const families = await scene({ expected: 3, connected: () => 2, rows: () => rows }).read()
  const of = (name: string) => linesOf(families, `tollgate_worker${name}`)
  expect(of('s')).toEqual([
    { state: 'connected', value: 2 },
    { state: 'missing', value: 1 },
  ])
  expect(of('_requests_in_flight')).toEqual([
    { worker: '0', value: 2 },
    { worker: '1', value: 5 },
  ])
  expect(of('_streams_in_flight')).toHaveLength(2)
  expect(of('_resident_memory_bytes')[0]).toEqual({ worker: '0', value: 9e7 })
  expect(of('_cpu_seconds_total')[1]).toEqual({ worker: '1', value: 1.5 })
  expect(of('_open_fds')).toEqual([{ worker: '0', value: 40 }])
  expect(of('_event_loop_lag_seconds')[1]).toEqual({ worker: '1', value: 0.03 })
})

test('a single process shows no workers', async () => {
  const names = [...(await scene().read()).keys()]
  expect(names.filter((name) => name.startsWith('tollgate_worker'))).toEqual([])
})

describe('labels', () => {
  test('hold whatever names hold', async () => {
    const { totals, record, read } = scene()
    record(2, wild)
    totals.recordAttempt(wild, 'upstream_failed')
    const families = await read()
    expect(linesOf(families, 'tollgate_requests_total')[0]).toMatchObject({
      ...{ group: wild, model: wild, value: 1 },
    })
    expect(linesOf(families, 'tollgate_attempts_total')[0]).toMatchObject({ channel: wild })
  })

  test('that look alike when they are written behind each other are told apart', async () => {
    const { record, read } = scene()
    record(1, 'b')
    record(3, 'c')
    record(3, 'b')
    record(1, 'model:b')
    const succeeded = linesOf(await read(), 'tollgate_requests_total').filter(({ value }) => value)
    expect(succeeded.map(({ value }) => value)).toEqual([1, 1, 1, 1])
  })

  test('are bounded, whatever the number of models', async () => {
    const { record, read } = scene()
    for (let i = 0; i < 100_000; i++) record(1 + (i % 3), `model ${i}`)
    const lines = linesOf(await read(), 'tollgate_requests_total')
    expect(lines.length).toBeLessThanOrEqual(1_003 * 6)
    expect(lines.reduce((sum, { value }) => sum + value, 0)).toBe(100_000)
    expect(linesOf(await read(), 'tollgate_output_tokens_total')).toHaveLength(3)
  })

  test('of a group that is gone are told no more', async () => {
    const { record, read } = scene()
    record(99, 'small')
    expect(linesOf(await read(), 'tollgate_requests_total')).toEqual([])
  })
})

test('before anything has happened there is nothing wrong to read', async () => {
  const { read, contentType } = scene()
  expect((await read()).size).toBeGreaterThan(15)
  expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
})
