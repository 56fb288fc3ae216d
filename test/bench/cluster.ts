import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { startCluster } from '../e2e/cluster/scene.ts'
import { startBinary } from '../support/binary.ts'
import { ask, startPostgres } from '../support/postgres.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { startValkey } from '../support/valkey.ts'
import { requests as bodies, chatPath } from './suite/requests.ts'
import { runWrk, writeScript } from './suite/wrk.ts'

/**
 * What it costs that several nodes share a database: requests per second, CPU per request of nodes,
 * PostgreSQL and Valkey, and round trips per request as those count them; beside one node with SQLite.
 *
 *   bun test/bench/cluster.ts [seconds of a measurement] [connections in all]
 *
 * Needs wrk, nginx, PostgreSQL and Valkey. Everything runs on the same cores, load and upstream too:
 * CPU per request is the figure to look at.
 */
const [seconds = 4, connections = 48] = process.argv.slice(2).map(Number)
const limits = { rpm: 1_000_000_000, tpm: 1_000_000_000, concurrency: 100_000 }
const variants = [
  { name: 'SQLite', nodes: 1, isShared: false },
  { name: 'SQLite, limits in memory', nodes: 1, isShared: false, limits },
  { name: 'PostgreSQL', nodes: 1, isShared: true },
  { name: 'PostgreSQL', nodes: 2, isShared: true },
  { name: 'PostgreSQL', nodes: 3, isShared: true },
  { name: 'PostgreSQL, limits in Valkey', nodes: 3, isShared: true, limits },
] as const
type Variant = (typeof variants)[number]

const ticksPerSecond = 100
/** Beyond the last one: wrk is pinned to none. */
const everyCore = cpus().length

/** Fields of a process behind its name, from its parent's id on. */
const statOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) . /s, '')
    .split(' ')
    .map(Number)

/** CPU of processes so far, in µs, with that of children that have ended. */
function cpuMicros(pids: readonly number[]): number {
  const ticks = pids.map((pid) =>
    statOf(pid)
      .slice(10, 14)
      .reduce((sum, one) => sum + one, 0),
  )
  return (ticks.reduce((sum, one) => sum + one, 0) * 1e6) / ticksPerSecond
}

const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && statOf(pid)[0] === parent
      } catch {
        return false // it has ended meanwhile
      }
    })

await using postgres = await startPostgres([
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track=top',
])
const admin = postgres.url('postgres')
await ask(admin, 'CREATE EXTENSION pg_stat_statements')
const postmaster = await findPostmaster()
const valkey = await startValkey()
const upstream = Bun.spawn([process.execPath, `${import.meta.dir}/constant-upstream.ts`], {
  stdout: 'pipe',
})
const { value: said } = await upstream.stdout.getReader().read()
const upstreamUrl = new TextDecoder().decode(said).trim()
using folder = createTempDir('tollgate-bench')
const script = folder.join('post.lua')
const headers = { 'content-type': 'application/json', authorization: `Bearer ${testKey}` }
writeScript(script, { headers, body: bodies.small })

/** The server's first process: the parent of those that serve connections. */
async function findPostmaster(): Promise<number> {
  const [row] = await ask<{ pid: number }>(
    admin,
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
  )
  return statOf(row?.pid ?? 0)[0] ?? 0
}

/** What the servers have done so far. */
async function served() {
  const [{ calls = 0 } = {}] = await ask<{ calls: number }>(
    admin,
    `SELECT coalesce(sum(calls), 0)::bigint AS calls FROM pg_stat_statements JOIN pg_database
       ON oid = dbid WHERE datname LIKE 'bench%'`,
  )
  const told = String(await valkey.ask('INFO', 'everything'))
  const figure = (pattern: RegExp) => Number(pattern.exec(told)?.[1] ?? 0)
  return {
    statements: calls,
    commands: figure(/cmdstat_evalsha:calls=(\d+)/),
    postgresMicros: cpuMicros([postmaster, ...childrenOf(postmaster)]),
    valkeyMicros: (figure(/used_cpu_user:([\d.]+)/) + figure(/used_cpu_sys:([\d.]+)/)) * 1e6,
  }
}

interface Started extends AsyncDisposable {
  readonly urls: readonly string[]
  readonly pids: readonly number[]
}

let databases = 0

async function start(variant: Variant): Promise<Started> {
  const yaml = {
    ...{ upstream: upstreamUrl, balance: 1_000_000 },
    ...('limits' in variant && { token: { limits: variant.limits } }),
  }
  if (!variant.isShared) {
    const one = await startBinary({
      args: ['serve', '--log', 'json'],
      config: (listen) => tollgateYaml({ listen, ...yaml }),
    })
    return { urls: [one.url], pids: [one.pid], [Symbol.asyncDispose]: one[Symbol.asyncDispose] }
  }
  const name = `bench${++databases}`
  await ask(admin, `CREATE DATABASE ${name}`)
  const shared = { store: postgres.url(name), counters: valkey.url, count: variant.nodes }
  const cluster = await startCluster({ ...yaml, ...shared })
  return {
    urls: cluster.nodes.map(({ url }) => url),
    pids: cluster.nodes.flatMap((node) => node.pid() ?? []),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/** Loads all nodes at once; gives what wrk saw of each. */
const load = ({ urls }: Started, forSeconds: number) =>
  Promise.all(
    urls.map((url) =>
      runWrk({
        ...{ url: url + chatPath, seconds: forSeconds, core: everyCore, script },
        connections: Math.floor(connections / urls.length),
      }),
    ),
  )

const columns = [
  ...['store', 'nodes', 'requests/s', 'p50 ms', 'p99 ms', 'µs of CPU per request: nodes'],
  ...['PostgreSQL', 'Valkey', 'round trips per request: PostgreSQL', 'Valkey'],
]
console.log(`| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`)
for (const variant of variants) {
  await using started = await start(variant)
  await load(started, 3) // warm
  const before = { ...(await served()), micros: cpuMicros(started.pids) }
  const found = await load(started, seconds)
  const after = { ...(await served()), micros: cpuMicros(started.pids) }
  const count = found.reduce((sum, { requests }) => sum + requests, 0)
  const perSecond = found.reduce((sum, one) => sum + one.perSecond, 0)
  const worst = (name: 'p50Ms' | 'p99Ms') => Math.max(...found.map((one) => one[name])).toFixed(1)
  const per = (name: keyof typeof before, digits = 0) =>
    ((after[name] - before[name]) / count).toFixed(digits)
  console.log(
    `| ${variant.name} | ${variant.nodes} | ${perSecond.toFixed(0)} | ${worst('p50Ms')} | ` +
      `${worst('p99Ms')} | ${per('micros')} | ${per('postgresMicros')} | ${per('valkeyMicros')} | ` +
      `${per('statements', 2)} | ${per('commands', 2)} |`,
  )
}
upstream.kill()
await valkey.stop()
