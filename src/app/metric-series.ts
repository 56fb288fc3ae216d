import { type Metric, Registry } from 'prom-client'

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
 * A registry of these. They are none of prom-client's own classes, which find a value by a text in
 * which two sets of labels can look the same, and whose histograms must see each value.
 */
export function createRegistry(all: readonly Series[]): Registry {
  const registry = new Registry()
  for (const { name, help, type, samples } of all) {
    const get = async () => ({ name, help, type, values: [...(await samples())] })
    // A registry asks no more of a metric than its name and this.
    registry.registerMetric({ name, get } as unknown as Metric)
  }
  return registry
}
