import { type RunningBinary, startBinary } from '../../support/binary.ts'
import { freePort } from '../../support/free-port.ts'
import { createRandom } from '../../support/random.ts'
import { verify } from '../beside.ts'
import { type Changes, createChanges } from './changes.ts'
import { emptyHarvest, findUnserved, type Harvest, runClient } from './clients.ts'
import { firstVariant, type Place, soakYaml } from './config.ts'
import { findBroken, findComplaints, findGrowth, findUncharged } from './judge.ts'
import { readMetrics } from './metrics.ts'
import { type SoakUpstreams, startUpstreams } from './upstreams.ts'
import { countFds, countReservations, type Level, levelOf, type Sample, watch } from './watch.ts'

export interface SoakOptions {
  /** Where the database lies; it stays there. */
  readonly folder: string
  readonly minutes: number
  readonly clients: number
  /** Decides what is asked, and what goes wrong; the rest is chance. */
  readonly seed: number
  /** Told how it is, so often. */
  readonly everyMs: number
  readonly say: (line: string) => void
}

/** What a soak came to; `faults` is empty when every promise was kept. */
export interface SoakReport {
  readonly seed: number
  readonly harvest: Harvest
  readonly changes: Changes['counts']
  readonly wentWrong: SoakUpstreams['counts']
  readonly level: Level
  /** Before and after. */
  readonly fds: readonly [number, number]
  readonly samples: readonly Sample[]
  readonly faults: readonly string[]
}

const upstreamCount = 4
/** How long the gateway may take to be as it was, after everyone has left. */
const calmMs = 20_000
/** How long the last requests may take. */
const endMs = 90_000

/**
 * Lets clients ask for as long as is wanted while upstreams fail, clients leave and the
 * configuration changes, all by chance; then looks whether anything is left over, or was lost.
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { folder, minutes, clients, seed, everyMs, say } = options
  const random = createRandom(seed)
  await using upstreams = await startUpstreams(random, upstreamCount)
  const port = await freePort()
  const place: Place = {
    urls: upstreams.urls,
    listen: `127.0.0.1:${port}`,
    metrics: `127.0.0.1:${await freePort()}`,
  }
  const metricsUrl = `http://${place.metrics}/metrics`
  await using gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    cwd: folder,
    port,
    config: () => soakYaml(place, firstVariant),
  })
  const harvest = emptyHarvest()
  const client = { url: gateway.url, port: gateway.port, random, harvest }
  const fdsBefore = await warmUp(gateway, upstreams, client)
  const changes = createChanges(gateway, place, random)
  let over = false
  const isOver = () => over
  const running = [
    ...Array.from({ length: clients }, () => runClient(client, isOver)),
    upstreams.live(isOver),
    changes.run(isOver),
  ]
  const active = () => harvest.open
  const watching = watch(gateway, { active, metricsUrl, everyMs, say, isOver })
  await Bun.sleep(minutes * 60_000)
  over = true
  const samples = await watching
  const late = await Promise.race([Promise.all(running), Bun.sleep(endMs).then(() => 'late')])
  if (late === 'late') harvest.wrong.push(`${harvest.open} clients still wait after ${endMs} ms`)
  const unserved = await findUnserved(client)
  const leftOver = await calmDown(gateway, upstreams, fdsBefore)
  const told = await readMetrics(metricsUrl)
  if (told && told.requestsInFlight + told.streamsInFlight > 0) {
    harvest.wrong.push(`Nobody asks, and its metrics say: ${JSON.stringify(told)}`)
  }
  const level = levelOf(samples)
  const wrong = await verify(folder)
  const code = await gateway.stop()
  const faults = [
    ...harvest.wrong,
    ...changes.wrong,
    ...unserved,
    ...leftOver.faults,
    ...(wrong === undefined ? [] : [wrong]),
    ...(await findUncharged(gateway, harvest, upstreams)),
    ...(await findBroken(gateway)),
    ...findComplaints(gateway),
    ...findGrowth(level, minutes),
    ...(code === 0 ? [] : [`It ended with exit code ${code}.`]),
  ]
  return {
    ...{ seed, harvest, changes: changes.counts, wentWrong: upstreams.counts },
    ...{ level, fds: [fdsBefore, leftOver.fds], samples, faults },
  }
}

/** Some requests of every kind, so that what a process opens once is open; gives its descriptors. */
async function warmUp(
  gateway: RunningBinary,
  upstreams: SoakUpstreams,
  client: Parameters<typeof runClient>[0],
): Promise<number> {
  const enough = client.harvest.received.length + 50
  const isOver = () => client.harvest.received.length >= enough
  await Promise.all(Array.from({ length: 8 }, () => runClient(client, isOver)))
  upstreams.breakAll()
  await Bun.sleep(2_000)
  return countFds(gateway.pid)
}

/** Waits until nothing is held any more; says what still is after a while. */
async function calmDown(gateway: RunningBinary, upstreams: SoakUpstreams, fdsBefore: number) {
  const end = performance.now() + calmMs
  let [fds, reservations] = [0, 0]
  do {
    await Bun.sleep(200)
    reservations = await countReservations(gateway)
    if (reservations === 0) upstreams.breakAll() // kept connections are no leak
    fds = countFds(gateway.pid)
  } while ((fds > fdsBefore || reservations > 0) && performance.now() < end)
  const faults = []
  if (reservations > 0) faults.push(`${reservations} reservations are open, and nobody asks`)
  if (fds > fdsBefore) faults.push(`${fds} descriptors are open; before there were ${fdsBefore}`)
  return { fds, faults }
}
