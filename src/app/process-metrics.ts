import {
  countOpenFiles,
  type LagMeter,
  mostOpenFiles,
  residentMemoryBytes,
} from '../lib/process-state.ts'
import { counter, gauge, type Sample, type Series } from './metric-series.ts'
import type { MetricsSource } from './metrics-listen.ts'

const startedAtSeconds = () => Date.now() / 1000 - process.uptime()

const one = (value: number): readonly Sample[] => [{ value }]
/** Not every system tells. */
const known = (value: number | undefined) => (value === undefined ? [] : one(value))

/** How this process is, by the names that Prometheus has for it. */
export function processSeries(
  version: string,
  lag: Pick<LagMeter, 'longestMs'>,
): readonly Series[] {
  const startedAt = startedAtSeconds()
  const cpu = (part: 'user' | 'system') => process.cpuUsage()[part] / 1e6
  return [
    gauge('tollgate_build_info', 'Version of this program; the value is always 1.', () => [
      { labels: { version }, value: 1 },
    ]),
    counter('process_cpu_user_seconds_total', 'User CPU time.', () => one(cpu('user'))),
    counter('process_cpu_system_seconds_total', 'System CPU time.', () => one(cpu('system'))),
    counter('process_cpu_seconds_total', 'User and system CPU time.', () =>
      one(cpu('user') + cpu('system')),
    ),
    gauge('process_start_time_seconds', 'When the process was started, since 1970.', () =>
      one(startedAt),
    ),
    gauge('process_resident_memory_bytes', 'Resident memory.', () => one(residentMemoryBytes())),
    gauge('process_open_fds', 'Open file descriptors; without /proc none is told.', () =>
      known(countOpenFiles()),
    ),
    gauge('process_max_fds', 'File descriptors that may be open at once.', () =>
      known(mostOpenFiles()),
    ),
    gauge(
      'tollgate_event_loop_lag_seconds',
      'Longest delay of the event loop in the last minute.',
      () => one(lag.longestMs() / 1000),
    ),
  ]
}

/** What this process knows of the nodes that serve together; of one that serves alone nothing is told. */
export function nodeSeries({
  load,
  membership,
}: Pick<MetricsSource, 'load' | 'membership'>): readonly Series[] {
  function* nodes(): Generator<Sample> {
    const known = membership?.known() ?? []
    if (known.length === 0) return
    const alive = known.filter(({ isAlive }) => isAlive).length
    yield { labels: { state: 'alive' }, value: alive }
    yield { labels: { state: 'dead' }, value: known.length - alive }
  }

  function* counters(): Generator<Sample> {
    const { counting } = load()
    if (counting !== 'alone') yield { value: counting === 'together' ? 1 : 0 }
  }

  return [
    gauge('tollgate_node_info', 'Number of this node among all; the value is always 1.', () =>
      membership ? [{ labels: { node: String(membership.id()) }, value: 1 }] : [],
    ),
    gauge(
      'tollgate_node_leader',
      'Whether this node builds the price feed for all (1) or not.',
      () => (membership ? [{ value: load().leads ? 1 : 0 }] : []),
    ),
    gauge('tollgate_nodes', 'Nodes in the list, as this one has last seen it.', nodes),
    gauge(
      'tollgate_shared_counters_up',
      'Whether Valkey is within reach (1); while it is not (0) this node keeps to its share of limits.',
      counters,
    ),
  ]
}
