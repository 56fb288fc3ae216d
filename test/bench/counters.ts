import { createLimiter, type Limiter } from '../../src/gateway/limits/limiter.ts'
import { createSharedLimiter } from '../../src/gateway/limits/shared-limiter.ts'
import { createLogger } from '../../src/lib/log.ts'
import { openValkeyCounters } from '../../src/store/valkey/counters.ts'
import { startValkey } from '../support/valkey.ts'

/**
 * What limits that nodes share cost: CPU of this process and of the server per request, round trips
 * per request as the server counts them, and how long a request waits to be let in; beside the same
 * in memory.
 *
 *   bun test/bench/counters.ts [requests] [at once]
 */
const [requests = 50_000, atOnce = 32] = process.argv.slice(2).map(Number)
const tick = () => performance.now()
const wait = { waitMs: 0, signal: new AbortController().signal }
const subjects = (['token', 'account', 'group'] as const).map((kind) => ({
  ...{ kind, id: 1, name: kind },
  limits: { rpm: 1e9, tpm: 1e9, concurrency: 1e6 },
}))

interface Cost {
  readonly cpuMicros: number
  readonly waitsMs: readonly number[]
}

/** So many requests, `width` at once. */
async function measure(limiter: Limiter, count: number, width: number): Promise<Cost> {
  const waitsMs: number[] = []
  const before = process.cpuUsage()
  const worker = async () => {
    for (let left = Math.ceil(count / width); left > 0; left--) {
      const startTick = tick()
      const entering = limiter.acquire(subjects, 100, wait)
      const permit = entering instanceof Promise ? await entering : entering
      waitsMs.push(tick() - startTick)
      permit.used(90)
      permit.release()
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  const { user, system } = process.cpuUsage(before)
  return { cpuMicros: (user + system) / count, waitsMs }
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

function tell(name: string, { cpuMicros, waitsMs }: Cost, more = ''): void {
  const [p50, p99] = [0.5, 0.99].map((share) => (quantile(waitsMs, share) * 1000).toFixed(0))
  console.log(
    `${name}: ${cpuMicros.toFixed(2)} µs of CPU, waits p50 ${p50} µs, p99 ${p99} µs${more}`,
  )
}

const local = createLimiter(tick)
await measure(local, requests, atOnce) // warm
tell('in memory', await measure(local, requests, atOnce))
local.stop()

const valkey = await startValkey()
const log = createLogger({ sink: console.error, pretty: true, clock: Date.now, level: 'warn' })
const counters = await openValkeyCounters({ url: valkey.url, log })
const shared = createSharedLimiter(counters, tick)

/** What the server has done so far. */
async function served() {
  const told = String(await valkey.ask('INFO', 'everything'))
  const figure = (pattern: RegExp) => Number(pattern.exec(told)?.[1] ?? 0)
  return {
    calls: figure(/cmdstat_evalsha:calls=(\d+)/),
    cpuSeconds: figure(/used_cpu_user:([\d.]+)/) + figure(/used_cpu_sys:([\d.]+)/),
  }
}

await measure(shared, requests, atOnce) // warm
for (const width of [1, atOnce]) {
  const before = await served()
  const cost = await measure(shared, requests, width)
  const after = await served()
  const calls = (after.calls - before.calls) / requests
  const serverMicros = ((after.cpuSeconds - before.cpuSeconds) * 1e6) / requests
  const more = `; ${calls.toFixed(2)} calls, ${serverMicros.toFixed(1)} µs of CPU of the server`
  tell(`shared, ${width} at once`, cost, more)
}
shared.stop()
await counters.close()
await valkey.stop()
