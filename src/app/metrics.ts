import { firstByteBounds } from '../catalog/availability.ts'
import {
  type GroupTotals,
  outcomeNames,
  type Totals,
} from '../gateway/availability/availability.ts'
import { addTo } from '../lib/add-to.ts'
import { version } from '../lib/build-info.ts'
import {
  countOpenFiles,
  descriptorLimit,
  type LagMeter,
  residentMemoryBytes,
} from '../lib/process-state.ts'
import type { MetricsSource } from './metrics-listen.ts'
import { nodeSeries, workerSeries } from './metrics-nodes.ts'
import {
  counter,
  createRegistry,
  gauge,
  histogram,
  type Sample,
  type Series,
} from './metrics-series.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** All metrics of this process, read from the running totals. */
export function createMetrics(source: MetricsSource, lag: Pick<LagMeter, 'longestMs'>) {
  const all = [
    ...trafficSeries(source),
    ...nodeSeries(source),
    ...workerSeries(source.workers),
    ...processSeries(lag),
  ]
  const registry = createRegistry(all)
  return { contentType: registry.contentType, text: () => registry.metrics() }
}

const firstByte = 'tollgate_first_byte_seconds'

function trafficSeries(source: MetricsSource): readonly Series[] {
  const { memory } = source
  const { budget } = memory
  const labelled = (label: string, counts: ReadonlyMap<string, number>) =>
    [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }))
  return [
    counter(
      'tollgate_requests_total',
      'Requests that have ended: succeeded, or at whose fault they failed.',
      () => ofGroups(source, requestSamples),
    ),
    histogram(firstByte, 'Time to the first byte of streams that succeeded.', () =>
      ofGroups(source, firstByteSamples),
    ),
    counter('tollgate_output_tokens_total', 'Output tokens of all answers.', () =>
      ofGroups(source, (group, { outputTokens }) => [{ labels: { group }, value: outputTokens }]),
    ),
    counter(
      'tollgate_attempts_total',
      'Attempts on channels, by the class of their failure (none: it went well).',
      () => attemptSamples(source.totals().attempts),
    ),
    counter(
      'tollgate_limit_refusals_total',
      'Requests that were refused for a limit, by whose limit it was.',
      () => labelled('kind', source.totals().limits),
    ),
    counter(
      'tollgate_refusals_total',
      'Requests that were refused before a channel was asked, by cause: unknown keys, bodies that are too large, paths that do not exist.',
      () => labelled('cause', source.totals().refusals),
    ),
    gauge('tollgate_requests_in_flight', 'Requests that have not ended.', source.requestsInFlight),
    gauge(
      'tollgate_streams_in_flight',
      'Of these, streams that have begun.',
      source.streamsInFlight,
    ),
    gauge(
      'tollgate_memory_budget_bytes',
      'Memory that requests, all together, may take.',
      () => budget.totalBytes,
    ),
    gauge(
      'tollgate_memory_used_bytes',
      'Memory of the budget that requests have taken.',
      budget.usedBytes,
    ),
    gauge('tollgate_memory_waiting', 'Requests that wait for memory.', budget.waiting),
    counter(
      'tollgate_overload_refusals_total',
      'Requests that were refused as overloaded, by what the gateway was short of.',
      () =>
        labelled(
          'short',
          new Map(Object.entries({ memory: budget.refused(), ...source.slots.refused() })),
        ),
    ),
    gauge(
      'tollgate_spooled_settlements',
      'Settlements that wait in the spool of this node, for the database does not take them.',
      source.spooled,
    ),
    gauge(
      'tollgate_channel_cooling',
      'How many parts of a channel (itself, keys, models) cool now.',
      () => coolingSamples(source),
    ),
    gauge(
      'tollgate_accounts_overdrawn',
      'Accounts of the whole gateway that owe more than their credit limits allow.',
      source.overdrawn,
    ),
  ]
}

function* ofGroups(
  { totals, catalog }: MetricsSource,
  samplesOf: (group: string, totals: GroupTotals) => Iterable<Sample>,
): Generator<Sample> {
  const { groups } = catalog()
  for (const [id, groupTotals] of totals().groups) {
    const group = groups.get(id)
    if (group) yield* samplesOf(group.name, groupTotals)
  }
}

function* requestSamples(group: string, { models }: GroupTotals): Generator<Sample> {
  for (const [model, counts] of models) {
    // Zeros too: the first failure of its kind must be visible as a rise.
    for (const [place, outcome] of outcomeNames.entries()) {
      yield { labels: { group, model, outcome }, value: counts[place] ?? 0 }
    }
  }
}

function* firstByteSamples(group: string, totals: GroupTotals): Generator<Sample> {
  let count = 0
  for (const [place, bound] of [...firstByteBounds, Number.POSITIVE_INFINITY].entries()) {
    count += totals.firstByte[place] ?? 0
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound / 1000)
    yield { metricName: `${firstByte}_bucket`, labels: { group, le }, value: count }
  }
  yield { metricName: `${firstByte}_sum`, labels: { group }, value: totals.firstByteMs / 1000 }
  yield { metricName: `${firstByte}_count`, labels: { group }, value: count }
}

function* attemptSamples(attempts: Totals['attempts']): Generator<Sample> {
  for (const [channel, causes] of attempts) {
    for (const [cause, value] of causes) {
      yield { labels: { channel, cause: cause === '' ? 'none' : cause }, value }
    }
  }
}

function* coolingSamples({ catalog, coolings }: MetricsSource): Generator<Sample> {
  const counts = new Map<number, number>()
  for (const { channelId } of coolings()) addTo(counts, channelId, 1)
  for (const { id, name } of catalog().channels.values()) {
    yield { labels: { channel: name }, value: counts.get(id) ?? 0 }
  }
}

/** Process metrics by Prometheus' names; unknown values are left out. */
function processSeries(lag: Pick<LagMeter, 'longestMs'>): readonly Series[] {
  const startedAtSeconds = Date.now() / 1000 - process.uptime()
  const cpu = (part: 'user' | 'system') => process.cpuUsage()[part] / 1e6
  return [
    gauge('tollgate_build_info', 'Version of this program; the value is always 1.', () => [
      { labels: { version }, value: 1 },
    ]),
    counter('process_cpu_user_seconds_total', 'User CPU time.', () => cpu('user')),
    counter('process_cpu_system_seconds_total', 'System CPU time.', () => cpu('system')),
    counter(
      'process_cpu_seconds_total',
      'User and system CPU time.',
      () => cpu('user') + cpu('system'),
    ),
    gauge(
      'process_start_time_seconds',
      'When the process was started, since 1970.',
      () => startedAtSeconds,
    ),
    gauge('process_resident_memory_bytes', 'Resident memory.', residentMemoryBytes),
    gauge('process_open_fds', 'Open file descriptors; without /proc none is told.', countOpenFiles),
    gauge('process_max_fds', 'File descriptors that may be open at once.', descriptorLimit),
    gauge(
      'tollgate_event_loop_lag_seconds',
      'Longest delay of the event loop in the last minute.',
      () => lag.longestMs() / 1000,
    ),
  ]
}
