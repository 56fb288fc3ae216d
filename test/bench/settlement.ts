import { cpus } from 'node:os'
import { createTempDir } from '../support/temp-dir.ts'
import { testKey } from '../support/tollgate-yaml.ts'

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
  const pinned = Bun.which('taskset') && cpus().length > 1 ? ['taskset', '-c', String(core)] : []
  return Bun.spawn([...pinned, ...command], { stdout: 'pipe', stderr: 'inherit' })
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
await Bun.write(
  script,
  `wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.headers["authorization"] = "Bearer ${testKey}"
wrk.body = [[${JSON.stringify({
    model: 'test-model',
    max_completion_tokens: 100,
    messages: [{ role: 'user', content: 'Tell me something in a few words, please.' }],
  })}]]
`,
)

interface Round {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

async function load(url: string, connections: number): Promise<Round> {
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script]
  const child = start(1, ['wrk', ...options, `${url}/v1/chat/completions`])
  const text = await new Response(child.stdout).text()
  if (text.includes('Non-2xx')) throw new Error(`Requests failed:\n${text}`)
  const figure = (pattern: RegExp) => pattern.exec(text)?.[1] ?? 'none'
  return {
    perSecond: Number(figure(/Requests\/sec:\s+([\d.]+)/)),
    p50Ms: inMs(figure(/50%\s+(\S+)/)),
    p99Ms: inMs(figure(/99%\s+(\S+)/)),
  }
}

const units = { us: 0.001, ms: 1, s: 1000 } as const

function inMs(text: string): number {
  const [, value, unit] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? []
  return Number(value) * (units[unit as keyof typeof units] ?? Number.NaN)
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

for (const connections of [1, 64]) {
  const found: Record<Variant, Round[]> = { settled: [], unsettled: [] }
  for (const { url } of gateways) await load(url, connections) // warm
  for (let round = 0; round < rounds; round++) {
    for (const { variant, url } of gateways) found[variant].push(await load(url, connections))
  }
  const middle = (variant: Variant, name: keyof Round) =>
    median(found[variant].map((round) => round[name]))
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
