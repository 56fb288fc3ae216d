import { Gauge, Registry } from 'prom-client'

/** A value of a metric. */
export interface Sample {
  /** Default: the metric's name; parts of a histogram have others. */
  readonly metricName?: string
  readonly labels?: { readonly [label: string]: string }
  readonly value: number
}

/** A metric whose values are read at each request; undefined: it has none now. */
export interface Series {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly read: () => number | undefined | Iterable<Sample>
}

const series =
  (type: Series['type']) =>
  (name: string, help: string, read: Series['read']): Series => ({ name, help, type, read })
export const counter = series('counter')
export const gauge = series('gauge')
export const histogram = series('histogram')

/**
 * A registry of gauges whose values are read each time: the library's own way would mix labels that read
 * the same when joined, and its histograms need every single value.
 */
export function createRegistry(all: readonly Series[]): Registry {
  const registry = new Registry()
  for (const { name, help, type, read } of all) {
    const get = async () => ({ name, help, type, values: samplesOf(read()) })
    Object.assign(new Gauge({ name, help, registers: [registry] }), { get })
  }
  return registry
}

const samplesOf = (found: ReturnType<Series['read']>): readonly Sample[] => {
  if (found === undefined) return []
  return typeof found === 'number' ? [{ value: found }] : [...found]
}
