import { readdirSync, readFileSync } from 'node:fs'
import type { RunningBinary } from '../../support/binary.ts'
import { openTables } from '../../support/tables.ts'
import { readMetrics, type Told } from './metrics.ts'

/** What a process holds at a moment. */
export interface Sample {
  /** Since the start of the soak, in milliseconds. */
  readonly atMs: number
  readonly residentBytes: number
  /** The part of it that is no file's: the heap, and what belongs to it. */
  readonly ownBytes: number
  readonly fds: number
  readonly reservations: number
  /** Requests that clients have under way. */
  readonly active: number
  /** What the gateway says itself. */
  readonly told: Told | undefined
}

/** Open file descriptors of a process. */
export const countFds = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

function ownBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024
}

/** Reservations that are open, by the database. */
export async function countReservations({ cwd }: RunningBinary): Promise<number> {
  await using tables = openTables(cwd)
  return Number(await tables.one('SELECT count(*) FROM reservation'))
}

const sampleMs = 1_000

/** Takes a sample every second until `isOver`; tells every `everyMs`. */
export async function watch(
  gateway: RunningBinary,
  parts: {
    readonly active: () => number
    readonly metricsUrl: string
    readonly everyMs: number
    readonly say: (line: string) => void
    readonly isOver: () => boolean
  },
): Promise<readonly Sample[]> {
  const { active, metricsUrl, everyMs, say, isOver } = parts
  const started = performance.now()
  const samples: Sample[] = []
  let told = started
  while (!isOver()) {
    const now = performance.now()
    const sample: Sample = {
      atMs: now - started,
      residentBytes: gateway.residentBytes(),
      ownBytes: ownBytes(gateway.pid),
      fds: countFds(gateway.pid),
      reservations: await countReservations(gateway),
      active: active(),
      told: await readMetrics(metricsUrl),
    }
    samples.push(sample)
    if (now - told >= everyMs) {
      told = now
      say(describeSample(sample))
    }
    await Bun.sleep(sampleMs)
  }
  return samples
}

function describeSample(sample: Sample): string {
  const { atMs, residentBytes, fds, reservations, active, told } = sample
  const own = told
    ? `, ${told.requestsInFlight} by its metrics, event loop late by at most ${told.lagMs.toFixed(0)} ms`
    : ''
  return (
    `${(atMs / 60_000).toFixed(1)} min: ${mega(residentBytes)} MB resident, of it its own ` +
    `${mega(sample.ownBytes)}; ${fds} fds, ${reservations} reservations, ${active} requests active${own}`
  )
}

const mega = (bytes: number) => (bytes / 1e6).toFixed(1)

/** How memory went after its first third. */
export interface Level {
  /** Of the second and the last third: the median, in MB. */
  readonly middleMb: number
  readonly lastMb: number
  readonly highestMb: number
  /** MB for each minute, the line that fits best. */
  readonly slope: number
}

export function levelOf(samples: readonly Sample[]): Level {
  const third = Math.floor(samples.length / 3)
  const mb = ({ residentBytes }: Sample) => residentBytes / 1e6
  const later = samples.slice(third)
  return {
    middleMb: median(samples.slice(third, 2 * third).map(mb)),
    lastMb: median(samples.slice(2 * third).map(mb)),
    highestMb: Math.max(0, ...samples.map(mb)),
    slope: slopeOf(later.map((sample) => [sample.atMs / 60_000, mb(sample)])),
  }
}

function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [meanX, meanY] = [mean(0), mean(1)]
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  const under = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return under === 0 ? 0 : over / under
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
