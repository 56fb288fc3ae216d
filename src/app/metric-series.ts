import { Gauge, Registry } from 'prom-client'

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

const series =
  (type: Series['type']) =>
  (name: string, help: string, samples: Series['samples']): Series => ({
    ...{ name, help, type, samples },
  })
export const counter = series('counter')
export const gauge = series('gauge')
export const histogram = series('histogram')

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
