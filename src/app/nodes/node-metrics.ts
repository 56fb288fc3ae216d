import type { Sample, Series } from '../metric-series.ts'
import type { MetricsSource } from '../metrics-source.ts'

const gauge = (name: string, help: string, samples: Series['samples']): Series => ({
  ...{ name, help, samples },
  type: 'gauge',
})

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
