import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { balancers, startBalancer } from '../../e2e/balancer.ts'
import { until } from '../../e2e/until.ts'
import { environmentOf, runBinary } from '../../support/binary.ts'
import { startValkey, type Valkey } from '../../support/valkey.ts'
import { type Crowd, createCrowd } from '../clients/crowd.ts'
import { rehearsedOptions } from '../config.ts'
import { isNodeReady } from '../process.ts'
import { startUpstream, type Upstream } from '../upstream/upstream.ts'
import type { Fault, World } from '../world.ts'
import { type Database, startDatabase } from './database.ts'
import { type Line, layLine } from './line.ts'
import { type ClusterNode, clusterEnvironment, prepareNode } from './node.ts'

export interface ClusterOptions {
  /** Of the nodes' folders and logs; it stays there. */
  readonly folder: string
  readonly seed: number
  readonly clients: number
  /** How many nodes there are. */
  readonly nodes: number
  /** An older program: with it the nodes begin, and are updated to the one under test. */
  readonly old?: string | undefined
  /** So long a fault may last, in seconds. */
  readonly longestS: number
  /** How many workers each node has. */
  readonly workers?: number | undefined
}

/** Several nodes, what they stand on, and what is before and between them. */
export interface ClusterWorld extends World {
  readonly nodes: readonly ClusterNode[]
  readonly crowd: Crowd
  readonly upstream: Upstream
  readonly database: Database
  readonly valkey: Valkey
  readonly balancer: Awaited<ReturnType<typeof startBalancer>>
  /** From each node to the database, in the order of `nodes`. */
  readonly databaseLines: readonly Line[]
  readonly valkeyLines: readonly Line[]
  /** `refusal`: why it does not take the database of the program under test. */
  readonly old: { readonly binary: string; readonly refusal: string | undefined } | undefined
  readonly longestS: number
  /** The addresses of the database lead to its primary of now; `forgets`: nobody is told of it. */
  move(forgets: boolean): void
}

/** A fault of several nodes. Its end leaves the world whole: all is up, and every node can be ready. */
export type ClusterFault = Fault<ClusterWorld>

const startMs = 60_000

/** Starts all of it; resolves when every node is ready. */
export async function startClusterWorld(options: ClusterOptions): Promise<ClusterWorld> {
  const { folder, seed, clients, longestS, workers = 1 } = options
  await using starting = new AsyncDisposableStack()
  const upstream = starting.use(await startUpstream(seed))
  const database = starting.use(await startDatabase())
  const valkey = await startValkey()
  starting.defer(valkey.stop)
  const [nodes, databaseLines, valkeyLines]: [ClusterNode[], Line[], Line[]] = [[], [], []]
  for (let at = 1; at <= options.nodes; at++) {
    const toDatabase = starting.use(await layLine(database.primary().port))
    const toValkey = starting.use(await layLine(Number(new URL(valkey.url).port)))
    databaseLines.push(toDatabase)
    valkeyLines.push(toValkey)
    const node = await prepareNode(folder, `node-${at}`, {
      ...rehearsedOptions(upstream.urls),
      server: {
        ...{ trusted_proxies: ['127.0.0.1'], shutdown_delay: '3s', shutdown_grace: '5s' },
        ...(workers > 1 && { workers }),
      },
      store: throughLine(database.primary().url('tollgate'), toDatabase),
      counters: throughLine(valkey.url, toValkey),
    })
    nodes.push(starting.use(node))
    await node.start(options.old === undefined ? {} : { binary: options.old })
    await until(`${node.name} to be ready`, () => isNodeReady(node, workers), startMs)
  }
  const killNodes = () => {
    for (const node of nodes) void node.kill()
  }
  process.once('exit', killNodes)
  starting.defer(() => void process.off('exit', killNodes))
  const addresses = nodes.map(({ address }) => address)
  const kind = Bun.which('haproxy') ? balancers.haproxy : balancers.nginx
  const balancer = starting.use(await startBalancer(kind, addresses, { isPlain: true }))
  const old = options.old && {
    binary: options.old,
    refusal: await refusalOf(options.old, folder, database),
  }
  const deep = (await runBinary(['verify', '--help'])).stdout.includes('--deep')
  const parts = starting.move()

  return {
    ...{ url: balancer.url, folder, rows: database.rows, longestS, workers, old: old || undefined },
    ...{ nodes, upstream, crowd: createCrowd(balancer.url, clients, seed) },
    ...{ database, valkey, balancer, databaseLines, valkeyLines },
    move(forgets) {
      for (const line of databaseLines) {
        line.lead(database.primary().port)
        if (forgets) line.mend(true)
        else line.drop()
      }
    },
    async isReady() {
      const found = await Promise.all([
        database.isInStep(),
        ...nodes.map((node) => isNodeReady(node, workers)),
      ])
      return found.every(Boolean)
    },
    async verify() {
      const words = ['verify', ...(deep ? ['--deep'] : []), '--json', '--config']
      const { exitCode, stdout, stderr } = await runBinary([...words, nodes[0]?.configFile ?? ''], {
        env: clusterEnvironment,
      })
      if (exitCode === 0) return undefined
      return `verify ended with ${exitCode}: ${(stdout + stderr).slice(0, 2000)}`
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

function throughLine(url: string, { port }: Line): string {
  const through = new URL(url)
  through.port = String(port)
  return through.href
}

/** What an older program says of a database that the one under test has made; undefined: it takes it. */
async function refusalOf(
  binary: string,
  folder: string,
  { rows, primary }: Database,
): Promise<string | undefined> {
  await rows('CREATE DATABASE probe')
  const file = join(folder, 'probe.yaml')
  writeFileSync(file, `store: ${JSON.stringify(primary().url('probe'))}\n`, { mode: 0o600 })
  const words = ['account', 'list', '--config', file]
  const made = await runBinary(words, { env: clusterEnvironment })
  if (made.exitCode !== 0) throw new Error(`No database to try ${binary} on: ${made.stderr}`)
  const child = Bun.spawn([binary, ...words], {
    env: await environmentOf(words, { env: clusterEnvironment }),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await child.stderr.text()
  return (await child.exited) === 0 ? undefined : said.trim()
}
