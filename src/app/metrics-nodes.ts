import type { MetricsSource, WorkerRow } from './metrics-listen.ts'
import { counter, gauge, type Sample, type Series } from './metrics-series.ts'

/** Metrics of each worker; none for a single process. Those of the process are the keeper's then. */
export function workerSeries(workers: MetricsSource['workers']): readonly Series[] {
  if (workers === undefined) return []
  const each = (figure: (worker: WorkerRow) => number | undefined) => () =>
    workers.rows().flatMap((worker) => {
      const value = figure(worker)
      return value === undefined ? [] : [{ labels: { worker: String(worker.index) }, value }]
    })
  return [
    gauge(
      'tollgate_workers',
      'Workers of this gateway: connected to the keeper, or missing.',
      () => {
        const connected = workers.connected()
        return [
          { labels: { state: 'connected' }, value: connected },
          { labels: { state: 'missing' }, value: Math.max(0, workers.expected - connected) },
        ]
      },
    ),
    gauge(
      'tollgate_worker_requests_in_flight',
      'Requests of a worker that have not ended.',
      each(({ requests }) => requests),
    ),
    gauge(
      'tollgate_worker_streams_in_flight',
      'Of these, streams that have begun.',
      each(({ streams }) => streams),
    ),
    gauge(
      'tollgate_worker_resident_memory_bytes',
      'Resident memory of a worker.',
      each(({ residentBytes }) => residentBytes),
    ),
    counter(
      'tollgate_worker_cpu_seconds_total',
      'User and system CPU time of a worker.',
      each(({ cpuSeconds }) => cpuSeconds),
    ),
    gauge(
      'tollgate_worker_open_fds',
      'Open file descriptors of a worker.',
      each(({ openFiles }) => openFiles),
    ),
    gauge(
      'tollgate_worker_event_loop_lag_seconds',
      'Longest delay of the event loop of a worker in the last minute.',
      each(({ lagMs }) => lagMs / 1000),
    ),
  ]
}

/** Metrics of the nodes; none for a single process. */
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
  return [
    gauge('tollgate_node_info', 'Number of this node among all; the value is always 1.', () =>
      membership ? [{ labels: { node: String(membership.id()) }, value: 1 }] : [],
    ),
    gauge(
      'tollgate_node_leader',
      'Whether this node builds the price feed for all (1) or not.',
      () => (membership ? Number(load().leads ?? false) : undefined),
    ),
    gauge('tollgate_nodes', 'Nodes in the list, as this one has last seen it.', nodes),
    gauge(
      'tollgate_shared_counters_up',
      'Whether Valkey is within reach (1); while it is not (0) this node keeps to its share of limits.',
      () => {
        const { counting } = load()
        return counting === 'alone' ? undefined : Number(counting === 'together')
      },
    ),
  ]
}
