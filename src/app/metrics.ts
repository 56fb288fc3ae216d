import { version } from '../../package.json'
import { firstByteBounds } from '../catalog/availability.ts'
import { type GroupTotals, outcomeNames } from '../gateway/availability/running-totals.ts'
import type { LagMeter } from '../lib/process-state.ts'
import {
  counter,
  createRegistry,
  gauge,
  histogram,
  type Sample,
  type Series,
} from './metric-series.ts'
import type { MetricsSource } from './metrics-listen.ts'
import { nodeSeries, processSeries } from './process-metrics.ts'

/** The metrics as Prometheus reads them. */
export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
}

/** All metrics of this process. Nothing is counted here: each reading draws from the running totals. */
export function createMetrics(source: MetricsSource, lag: Pick<LagMeter, 'longestMs'>): Metrics {
  const registry = createRegistry([
    ...trafficSeries(source),
    ...nodeSeries(source),
    ...processSeries(version, lag),
  ])
  return { contentType: registry.contentType, text: () => registry.metrics() }
}

const firstByte = 'tollgate_first_byte_seconds'

function trafficSeries(source: MetricsSource): readonly Series[] {
  const { totals, requestsInFlight, streamsInFlight, memory, spooled } = source
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
      () => attemptSamples(totals.attempts),
    ),
    counter(
      'tollgate_limit_refusals_total',
      'Requests that were refused for a limit, by whose limit it was.',
      () => [...totals.limits].map(([kind, value]) => ({ labels: { kind }, value })),
    ),
    counter(
      'tollgate_refusals_total',
      'Requests that were refused before a channel was asked, by cause: unknown keys, bodies that are too large, paths that do not exist.',
      () => [...totals.refusals].map(([cause, value]) => ({ labels: { cause }, value })),
    ),
    gauge('tollgate_requests_in_flight', 'Requests that have not ended.', () => [
      { value: requestsInFlight() },
    ]),
    gauge('tollgate_streams_in_flight', 'Of these, streams that have begun.', () => [
      { value: streamsInFlight() },
    ]),
    gauge('tollgate_memory_budget_bytes', 'Memory that requests, all together, may take.', () => [
      { value: memory.budget.totalBytes },
    ]),
    gauge('tollgate_memory_used_bytes', 'Memory of the budget that requests have taken.', () => [
      { value: memory.budget.usedBytes() },
    ]),
    gauge('tollgate_memory_waiting', 'Requests that wait for memory.', () => [
      { value: memory.budget.waiting() },
    ]),
    counter(
      'tollgate_overload_refusals_total',
      'Requests that were refused as overloaded, by what the gateway was short of.',
      () => overloadSamples(source),
    ),
    gauge(
      'tollgate_spooled_settlements',
      'Settlements that wait in the spool of this node, for the database does not take them.',
      () => [{ value: spooled() }],
    ),
    gauge(
      'tollgate_channel_cooling',
      'How many parts of a channel (itself, keys, models) cool now.',
      () => coolingSamples(source),
    ),
    gauge(
      'tollgate_accounts_overdrawn',
      'Accounts of the whole gateway that owe more than their credit limits allow.',
      () => known(source.overdrawn()),
    ),
  ]
}

const known = (value: number | undefined): readonly Sample[] =>
  value === undefined ? [] : [{ value }]

/** Of a group that is gone nothing more is told. */
function* ofGroups(
  { totals, catalog }: MetricsSource,
  samplesOf: (group: string, totals: GroupTotals) => Iterable<Sample>,
): Generator<Sample> {
  const { groups } = catalog()
  for (const [id, groupTotals] of totals.groups) {
    const group = groups.get(id)
    if (group) yield* samplesOf(group.name, groupTotals)
  }
}

function* requestSamples(group: string, { models }: GroupTotals): Generator<Sample> {
  for (const [model, counts] of models) {
    // Zeros too: a failure that is the first of its kind must be seen as a rise.
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

function* attemptSamples(attempts: MetricsSource['totals']['attempts']): Generator<Sample> {
  for (const [channel, causes] of attempts) {
    for (const [cause, value] of causes) {
      yield { labels: { channel, cause: cause === '' ? 'none' : cause }, value }
    }
  }
}

function* overloadSamples({ memory, places }: MetricsSource): Generator<Sample> {
  const refused = { memory: memory.budget.refused(), ...places.refused() }
  for (const [short, value] of Object.entries(refused)) yield { labels: { short }, value }
}

function* coolingSamples({ catalog, coolings }: MetricsSource): Generator<Sample> {
  const counts = new Map<number, number>()
  for (const { channelId } of coolings()) counts.set(channelId, (counts.get(channelId) ?? 0) + 1)
  for (const { id, name } of catalog().channels.values()) {
    yield { labels: { channel: name }, value: counts.get(id) ?? 0 }
  }
}
