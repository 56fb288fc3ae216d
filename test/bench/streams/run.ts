import { openLedger } from '../../e2e/ledger.ts'
import { measure, type Stretch } from './measure.ts'
import { endStreams, type Gateway, openStreams, type Scene, startGateway } from './scene.ts'

/** Resident memory of the gateway, in bytes. */
export interface Resident {
  /** After some requests, before the streams. */
  readonly before: number
  readonly allOpen: number
  readonly peak: number
  /** Some seconds after all have ended. */
  readonly after: number
  /** What each stream took at the peak. */
  readonly perStream: number
}

/** What a long run came to; `wrong` is empty when every promise was kept. */
export interface Run {
  readonly streams: number
  readonly besides: number
  readonly openedMs: number
  readonly stretch: Stretch
  readonly resident: Resident
  readonly residentMb: readonly number[]
  readonly wrong: readonly string[]
}

export interface RunOptions {
  readonly streams: number
  /** Streams that go straight to the upstream at the same time, to compare with. */
  readonly besides: number
  readonly rate: number
  readonly seconds: number
  readonly say: (line: string) => void
}

const settleMs = 2_000
const restMs = 20_000

/** Streams through the gateway, and beside them some that go straight to the upstream. */
export async function runStreams(scene: Scene, options: RunOptions): Promise<Run> {
  const { streams, besides, rate, seconds, say } = options
  await using gateway = await startGateway(scene)
  await Bun.sleep(settleMs)
  const before = gateway.residentBytes()
  const openedMs = await openStreams(scene, 'gateway', gateway.port, streams)
  await openStreams(scene, 'direct', scene.upstreamPort, besides)
  const allOpen = gateway.residentBytes()
  await scene.upstream.ask('rate', rate as never)
  await Bun.sleep(settleMs)
  const residentBytes: number[] = []
  const timer = setInterval(() => residentBytes.push(gateway.residentBytes()), 1_000)
  const tell = setInterval(async () => {
    const { open, broken } = await scene.load.ask('progress', 'gateway')
    say(`  ${open} streams open, ${broken} broken, ${mega(gateway.residentBytes())} MB resident`)
  }, 30_000)
  const stretch = await measure(scene, gateway, { rate, seconds, ways: ['gateway', 'direct'] })
  clearInterval(tell)
  clearInterval(timer)
  const wrong = await end(scene, gateway, { streams, besides })
  const peak = Math.max(allOpen, ...residentBytes)
  await Bun.sleep(restMs)
  for (const [way, { lost, repeated }] of Object.entries(stretch.ways)) {
    if (lost + repeated > 0) wrong.push(`${way}: ${lost} events lost, ${repeated} repeated`)
  }
  const after = gateway.residentBytes()
  return {
    ...{ streams, besides, openedMs, stretch, wrong },
    resident: { before, allOpen, peak, after, perStream: (peak - before) / streams },
    residentMb: residentBytes.filter((_, at) => at % 10 === 0).map(mega),
  }
}

/** What open streams that say nothing cost. */
export interface Idle {
  readonly streams: number
  readonly before: number
  readonly open: number
  readonly perStream: number
  /** Processor seconds of the gateway for each second. */
  readonly cpu: number
  readonly wrong: readonly string[]
}

const idleMs = 10_000

/** Streams that have begun and then say nothing. */
export async function runIdle(scene: Scene, streams: number): Promise<Idle> {
  await using gateway = await startGateway(scene)
  await Bun.sleep(settleMs)
  const before = gateway.residentBytes()
  await openStreams(scene, 'gateway', gateway.port, streams)
  await Bun.sleep(settleMs)
  const used = gateway.cpuSeconds()
  await Bun.sleep(idleMs)
  const cpu = (gateway.cpuSeconds() - used) / (idleMs / 1000)
  const open = gateway.residentBytes()
  const wrong = await end(scene, gateway, { streams, besides: 0 })
  return { streams, before, open, perStream: (open - before) / streams, cpu, wrong }
}

/** Ends all streams, and looks at how they ended and what was charged for them. */
async function end(
  scene: Scene,
  { books }: Gateway,
  { streams, besides }: { readonly streams: number; readonly besides: number },
): Promise<string[]> {
  const ended = await endStreams(scene)
  const wrong: string[] = []
  for (const [way, count] of [['gateway', streams] as const, ['direct', besides] as const]) {
    const { ended: whole, broken, open } = ended[way]
    if (whole !== count || broken.length > 0 || open > 0) {
      const reasons = [...new Set(broken)].slice(0, 5).join('; ')
      wrong.push(
        `${way}: of ${count} streams ${whole} ended whole, ${broken.length} broke (${reasons}), ${open} did not end`,
      )
    }
  }
  if (books === undefined) return wrong
  await using ledger = openLedger(books.cwd)
  const complete = (await ledger.records()).filter(({ ending }) => ending === 'complete').length
  const charges = (await ledger.charges()).length
  if (charges !== complete) wrong.push(`${complete} streams were complete, ${charges} charged`)
  if ((await ledger.reservations()).length > 0) wrong.push('reservations are still open')
  const complaints = books.stdout.filter((line) => /"level":"error"|unhandled/i.test(line))
  return [...wrong, ...complaints.slice(0, 5)]
}

export const mega = (bytes: number) => Math.round(bytes / 1e6)
