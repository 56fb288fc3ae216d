import { createTempDir } from '../support/temp-dir.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { pinnedTo } from './streams/part.ts'
import { spreadOf } from './suite/numbers.ts'
import { chatPath, requests } from './suite/requests.ts'
import { runWrk, type WrkResult, writeScript } from './suite/wrk.ts'

/**
 * What durable billing costs on the hot path: requests per second and latency of the same gateway
 * with its store, and with one that stores nothing, in interleaved rounds of one run.
 *
 *   bun test/bench/settlement.ts [rounds] [seconds of a round]
 *
 * Needs `wrk`. Load and upstream run on one core, the gateway on another, where there are two.
 */
const [rounds = 5, seconds = 3] = process.argv.slice(2).map(Number)
const variants = ['settled', 'unsettled'] as const
type Variant = (typeof variants)[number]

if (!Bun.which('wrk')) {
  console.error('This needs wrk (Debian: apt-get install wrk).')
  process.exit(1)
}

/** Starts a process on a core of its own, where that can be said. */
function start(core: number, command: readonly string[]) {
  return Bun.spawn([...pinnedTo(core), ...command], { stdout: 'pipe', stderr: 'inherit' })
}

async function firstLine(child: { readonly stdout: ReadableStream<Uint8Array> }): Promise<string> {
  const { value } = await child.stdout.getReader().read()
  return new TextDecoder().decode(value).trim()
}

const here = import.meta.dir
const upstream = start(1, [process.execPath, `${here}/constant-upstream.ts`])
const upstreamUrl = await firstLine(upstream)
using folder = createTempDir('tollgate-bench')

const gateways = await Promise.all(
  variants.map(async (variant) => {
    const command = [process.execPath, `${here}/gateway.ts`, variant, upstreamUrl]
    const child = start(0, [...command, folder.join(`${variant}.db`)])
    return { variant, child, url: await firstLine(child) }
  }),
)

const script = folder.join('post.lua')
const headers = { 'content-type': 'application/json', authorization: `Bearer ${testKey}` }
writeScript(script, { headers, body: requests.small })

const load = (url: string, connections: number) =>
  runWrk({ url: url + chatPath, connections, seconds, core: 1, script })

for (const connections of [1, 64]) {
  const found: Record<Variant, WrkResult[]> = { settled: [], unsettled: [] }
  for (const { url } of gateways) await load(url, connections) // warm
  for (let round = 0; round < rounds; round++) {
    for (const { variant, url } of gateways) found[variant].push(await load(url, connections))
  }
  const middle = (variant: Variant, name: keyof WrkResult) =>
    spreadOf(found[variant].map((round) => round[name]))?.median ?? Number.NaN
  for (const variant of variants) {
    const [perSecond, p50, p99] = (['perSecond', 'p50Ms', 'p99Ms'] as const).map((name) =>
      middle(variant, name),
    )
    console.log(
      `${connections} connections, ${variant}: ${perSecond?.toFixed(0)} requests/s, ` +
        `p50 ${p50?.toFixed(2)} ms, p99 ${p99?.toFixed(2)} ms`,
    )
  }
  const ratio = middle('settled', 'perSecond') / middle('unsettled', 'perSecond')
  const added = middle('settled', 'p50Ms') - middle('unsettled', 'p50Ms')
  console.log(
    `${connections} connections: ${ratio.toFixed(2)} of the requests, ${added.toFixed(2)} ms added\n`,
  )
}

for (const { child } of [...gateways, { child: upstream }]) {
  child.kill()
  await child.exited
}
