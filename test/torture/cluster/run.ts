import { type Cluster, type Node, startCluster } from '../../e2e/cluster/scene.ts'
import { type Audited, findFaults } from '../../support/audit.ts'
import { ask, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { createRandom, pick, type Random } from '../../support/random.ts'
import { startValkey, type Valkey } from '../../support/valkey.ts'
import { payers } from '../asks.ts'
import { runClient } from '../clients.ts'
import { tortureOptions } from '../gateway.ts'
import { startTortureUpstream, type TortureUpstream } from '../upstream.ts'
import { readBooks } from './books.ts'
import { type ClusterReport, emptyClusterReport } from './report.ts'
import { askWhileAway } from './while-away.ts'

export interface ClusterTortureOptions {
  /** Decides what is asked, and what is killed when; the rest is chance. */
  readonly seed: number
  /** How often a node is killed. */
  readonly kills: number
  /** Ends earlier, after so many seconds. */
  readonly seconds?: number | undefined
  readonly say?: (line: string) => void
}

/** Clients that ask at the same time, through nginx. */
const clients = 24
/** After every so manieth kill PostgreSQL is ended as by a power cut, or for longer than nodes wait. */
const cutEvery = 3
const absenceEvery = 5
/** After every so manieth Valkey is away. */
const valkeyEvery = 4
/** More than nodes wait for a database that is away. */
const absenceMs = 6_500
/** A dead node's reservations are closed after 30 s, when another looks: every 5 s. */
const restMs = 45_000

interface Parts {
  readonly cluster: Cluster
  readonly postgres: PostgresServer
  readonly valkey: Valkey
  readonly upstream: TortureUpstream
  readonly random: Random
  readonly report: ClusterReport
}

/**
 * Three compiled gateways on one PostgreSQL are killed again and again, and the database under them,
 * while clients of all protocols ask them through nginx; tells whether the books are right then.
 */
export async function clusterTorture(options: ClusterTortureOptions): Promise<ClusterReport> {
  const { seed, kills, seconds = Number.POSITIVE_INFINITY, say = () => {} } = options
  await using postgres = await startPostgres()
  await ask(postgres.url('postgres'), 'CREATE DATABASE tollgate')
  const valkey = await startValkey()
  await using upstream = startTortureUpstream()
  const report = emptyClusterReport(seed)
  await using cluster = await startCluster({
    ...tortureOptions(upstream.url),
    ...{ store: postgres.url('tollgate'), counters: valkey.url },
  })
  const random = createRandom(seed)
  const parts: Parts = { cluster, postgres, valkey, upstream, random, report }
  let over = false
  const client = { url: cluster.url, random, harvest: report }
  const running = Array.from({ length: clients }, () => runClient(client, () => over))
  try {
    const latest = performance.now() + seconds * 1000
    while (report.kills < kills && performance.now() < latest) {
      await harm(parts)
      report.faults.push(...(await findFaults(audited(cluster, false))))
      say(`${report.kills} kills, ${report.received.length} answers received whole`)
      upstream.clear()
    }
    over = true
    await Promise.all(running)
    await look(parts)
  } finally {
    over = true
    await Promise.all(running)
    await valkey.stop()
  }
  return report
}

const audited = ({ rows }: Cluster, isAtRest: boolean): Audited => ({
  ...{ rows, engine: 'postgres', isAtRest, isBounded: true },
  thousandths: Object.fromEntries(
    Object.entries(payers).map(([name, { multiplier }]) => [name, multiplier * 1000]),
  ),
})

/** One node dies and comes back; now and then so does what all of them stand on. */
async function harm(parts: Parts): Promise<void> {
  const { cluster, postgres, valkey, random, report } = parts
  await Bun.sleep(200 + random() * 600)
  const node = pick(random, cluster.nodes)
  await node.kill()
  report.kills++
  if (report.kills % cutEvery === 0) {
    await postgres.stop('immediate')
    await Bun.sleep(random() * 1_000)
    await postgres.start()
    report.cuts++
  }
  if (report.kills % valkeyEvery === 0) {
    await valkey.stop()
    await Bun.sleep(random() * 1_000)
    await valkey.start()
  }
  if (report.kills % absenceEvery === 0) await stayAway(parts, node)
  await Bun.sleep(random() * 300)
  await node.start()
}

/** The database is away for longer than anyone waits for it. */
async function stayAway({ cluster, postgres, report }: Parts, dead: Node): Promise<void> {
  await postgres.stop('immediate')
  const alive = cluster.nodes.filter((node) => node !== dead)
  const [told] = await Promise.all([askWhileAway(alive), Bun.sleep(absenceMs)])
  report.whileAway.push(...told)
  await postgres.start()
  report.cuts++
}

/** Waits until nothing is set aside any more, and looks at everything. */
async function look({ cluster, upstream, report }: Parts): Promise<void> {
  const latest = performance.now() + restMs
  const startTick = performance.now()
  const isAtRest = async () =>
    (await cluster.rows('SELECT request_id FROM reservation LIMIT 1')).length === 0
  while (!(await isAtRest()) && performance.now() < latest) await Bun.sleep(100)
  report.restAfterMs = performance.now() - startTick
  report.faults.push(...(await findFaults(audited(cluster, true))), ...report.odd)
  const { faults, charged, interrupted } = await readBooks(cluster.rows, report.received, upstream)
  report.faults.push(...faults)
  report.charged = charged
  report.interrupted = interrupted
  const verified = await cluster.run('verify')
  if (verified.exitCode !== 0)
    report.faults.push(
      `verify ended with ${verified.exitCode}: ${verified.stdout}${verified.stderr}`,
    )
}
