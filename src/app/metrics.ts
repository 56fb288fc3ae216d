import { Gauge, Registry } from 'prom-client'
import { version } from '../../package.json'
import { firstByteBounds } from '../catalog/availability.ts'
import { type GroupTotals, outcomeNames } from '../gateway/availability/running-totals.ts'
import type { LagMeter } from '../lib/process-state.ts'
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
    {
      name: 'tollgate_requests_total',
      help: 'Requests that have ended: succeeded, or at whose fault they failed.',
      type: 'counter',
      samples: () => ofGroups(source, requestSamples),
    },
    {
      name: firstByte,
      help: 'Time to the first byte of streams that succeeded.',
      type: 'histogram',
      samples: () => ofGroups(source, firstByteSamples),
    },
    {
      name: 'tollgate_output_tokens_total',
      help: 'Output tokens of all answers.',
      type: 'counter',
      samples: () =>
        ofGroups(source, (group, { outputTokens }) => [{ labels: { group }, value: outputTokens }]),
    },
    {
      name: 'tollgate_attempts_total',
      help: 'Attempts on channels, by the class of their failure (none: it went well).',
      type: 'counter',
      samples: () => attemptSamples(totals.attempts),
    },
    {
      name: 'tollgate_limit_refusals_total',
      help: 'Requests that were refused for a limit, by whose limit it was.',
      type: 'counter',
      samples: () => [...totals.limits].map(([kind, value]) => ({ labels: { kind }, value })),
    },
    {
      name: 'tollgate_refusals_total',
      help: 'Requests that were refused before a channel was asked, by cause: unknown keys, bodies that are too large, paths that do not exist.',
      type: 'counter',
      samples: () => [...totals.refusals].map(([cause, value]) => ({ labels: { cause }, value })),
    },
    {
      name: 'tollgate_requests_in_flight',
      help: 'Requests that have not ended.',
      type: 'gauge',
      samples: () => [{ value: requestsInFlight() }],
    },
    {
      name: 'tollgate_streams_in_flight',
      help: 'Of these, streams that have begun.',
      type: 'gauge',
      samples: () => [{ value: streamsInFlight() }],
    },
    {
      name: 'tollgate_memory_budget_bytes',
      help: 'Memory that requests, all together, may take.',
      type: 'gauge',
      samples: () => [{ value: memory.budget.totalBytes }],
    },
    {
      name: 'tollgate_memory_used_bytes',
      help: 'Memory of the budget that requests have taken.',
      type: 'gauge',
      samples: () => [{ value: memory.budget.usedBytes() }],
    },
    {
      name: 'tollgate_memory_waiting',
      help: 'Requests that wait for memory.',
      type: 'gauge',
      samples: () => [{ value: memory.budget.waiting() }],
    },
    {
      name: 'tollgate_overload_refusals_total',
      help: 'Requests that were refused as overloaded, by what the gateway was short of.',
      type: 'counter',
      samples: () => overloadSamples(source),
    },
    {
      name: 'tollgate_spooled_settlements',
      help: 'Settlements that wait in the spool of this node, for the database does not take them.',
      type: 'gauge',
      samples: () => [{ value: spooled() }],
    },
    {
      name: 'tollgate_channel_cooling',
      help: 'How many parts of a channel (itself, keys, models) cool now.',
      type: 'gauge',
      samples: () => coolingSamples(source),
    },
    {
      name: 'tollgate_accounts_overdrawn',
      help: 'Accounts of the whole gateway that owe more than their credit limits allow.',
      type: 'gauge',
      samples: () => known(source.overdrawn()),
    },
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

/** One value of a metric. */
export interface Sample {
  /** Undefined: the metric's own; parts of a histogram have others. */
  readonly metricName?: string
  readonly labels?: { readonly [label: string]: string }
  readonly value: number
}

/** A metric whose values are read when they are asked for. */
export interface Series {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: () => Iterable<Sample> | Promise<Iterable<Sample>>
}

/**
 * A registry of these. Each is a gauge whose values are drawn at every reading: the library's own way of
 * keeping values takes two sets of labels for one that read the same behind each other, and its histograms
 * have to see every single value.
 */
export function createRegistry(all: readonly Series[]): Registry {
  const registry = new Registry()
  for (const { name, help, type, samples } of all) {
    const drawn = async () => ({ name, help, type, values: [...(await samples())] })
    Object.assign(new Gauge({ name, help, registers: [registry] }), { get: drawn })
  }
  return registry
}
