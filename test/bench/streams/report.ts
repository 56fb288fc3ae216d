import type { Stretch } from './measure.ts'
import type { Tried } from './rates.ts'
import { type Idle, mega, type Run } from './run.ts'

/** All that one measurement came to. */
export interface Report {
  readonly cores: number
  readonly pinned: boolean
  readonly wanted: { readonly streams: number; readonly rate: number; readonly seconds: number }
  readonly tried: { readonly direct: Tried; readonly gateway: Tried } | null
  readonly run: Run | null
  readonly idle: readonly Idle[]
}

export const wrongOf = ({ run, idle }: Report): string[] => [
  ...(run?.wrong ?? []),
  ...idle.flatMap((one) => one.wrong),
]

/** A report in lines for a person. */
export function describeReport(report: Report): string[] {
  const { run, idle } = report
  const wrong = wrongOf(report)
  return [
    ...(run === null ? [] : describeRun(report, run)),
    ...idle.map(
      ({ streams, before, open, perStream, cpu }) =>
        `${streams} idle streams: ${kilo(perStream)} KB for each (${mega(before)} MB before, ` +
        `${mega(open)} MB open), ${cpu.toFixed(3)} of a core`,
    ),
    ...(wrong.length === 0 ? ['Nothing wrong.'] : wrong.map((text) => `WRONG: ${text}`)),
  ]
}

function describeRun({ cores, pinned, wanted, tried }: Report, run: Run): string[] {
  const { stretch, resident, streams, besides } = run
  const { rate, cpu, cpuPerEvent } = stretch
  const scaled =
    tried === null
      ? []
      : [
          `Wanted: ${wanted.rate}/s. Kept up with at most: direct ${tried.direct.highest}/s, ` +
            `gateway ${tried.gateway.highest}/s. Run at ${rate}/s${rate < wanted.rate ? ': SCALED DOWN' : ''}.`,
        ]
  return [
    `${streams} streams of ${rate} events/s through the gateway and ${besides} beside it, for ` +
      `${stretch.seconds.toFixed(0)} s, on ${cores} cores (${pinned ? 'gateway on one, upstream and load on another' : 'not pinned'}); ` +
      `all open after ${(run.openedMs / 1000).toFixed(1)} s`,
    ...scaled,
    ...describeWay('through the gateway', stretch, 'gateway'),
    ...describeWay('direct', stretch, 'direct'),
    describeAdded(stretch),
    `memory: ${mega(resident.before)} MB before, ${mega(resident.allOpen)} MB all open, ` +
      `${mega(resident.peak)} MB at most, ${mega(resident.after)} MB after; ` +
      `${kilo(resident.perStream)} KB for each stream at most`,
    `every 10 s, in MB: ${run.residentMb.join(' ')}`,
    `cores used: gateway ${cpu.gateway.toFixed(2)}, upstream ${cpu.upstream.toFixed(2)}, ` +
      `load ${cpu.load.toFixed(2)}; gateway: ${((cpuPerEvent ?? 0) * 1e6).toFixed(1)} µs for each event`,
  ]
}

function describeWay(title: string, { ways }: Stretch, way: 'gateway' | 'direct'): string[] {
  const got = ways[way]
  if (got === undefined || got.streams + got.events === 0) return []
  const { events, share, delayMs, gapMs, lost, repeated, broken } = got
  return [
    `${title}: ${events} events (${(share * 100).toFixed(2)} % of what was due), ${lost} lost, ` +
      `${repeated} repeated, ${broken.length} streams broken`,
    `  delay of an event: p50 ${ms(delayMs.p50)}, p99 ${ms(delayMs.p99)}, at most ${ms(delayMs.highest)}`,
    `  between two events: p50 ${ms(gapMs.p50)}, p99 ${ms(gapMs.p99)}, at most ${ms(gapMs.highest)}`,
  ]
}

function describeAdded({ ways: { gateway, direct } }: Stretch): string {
  if (gateway === undefined || direct === undefined || direct.events === 0) return 'nothing beside'
  const delay = (name: 'p50' | 'p99') => ms(gateway.delayMs[name] - direct.delayMs[name])
  const gap = (name: 'p50' | 'p99') => ms(gateway.gapMs[name] - direct.gapMs[name])
  return (
    `added by the gateway: to an event p50 ${delay('p50')}, p99 ${delay('p99')}; ` +
    `between two events p50 ${gap('p50')}, p99 ${gap('p99')}`
  )
}

const ms = (value: number) => `${value.toFixed(2)} ms`
const kilo = (bytes: number) => (bytes / 1000).toFixed(1)
