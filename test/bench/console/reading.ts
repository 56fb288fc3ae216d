import { type Part, startPart } from '../streams/part.ts'
import { cores } from '../suite/bench.ts'
import type { LoadQuestions } from '../suite/load.ts'
import { measureOwn } from '../suite/measure.ts'
import { pairwise, spreadOf } from '../suite/numbers.ts'
import { requests } from '../suite/requests.ts'
import type { Subject } from '../suite/subjects.ts'
import type { ReaderQuestions } from './reader.ts'
import { entries } from './scene.ts'

interface ReadingOptions {
  readonly pairs: number
  readonly seconds: number
  /** Model requests a second; undefined: half of what the gateway can do. */
  readonly rate: number | undefined
  /** Between two lists of the reader. */
  readonly restMs: number
  readonly residentMb: () => string
  /** A command that runs while there is a reader, one after the other. */
  readonly beside: (() => { readonly end: () => Promise<void> }) | undefined
}

const connections = 64
const body = requests.small
const warmSeconds = 4
/**
 * With a reader, before anything is measured: what is used for the first time under load is compiled
 * then, and what both use is compiled once more.
 */
const settleSeconds = 40

/**
 * Small model requests at half of what the gateway can do, by turns alone, alone once more (how far
 * the machine's own noise goes) and with somebody who reads lists, charts and an export meanwhile.
 */
export async function measureReading(gateway: Subject, options: ReadingOptions): Promise<void> {
  const { pairs, seconds, restMs, residentMb, beside } = options
  await using load: Part<LoadQuestions> = startPart('../suite/load.ts', cores.others)
  await using reader: Part<ReaderQuestions> = startPart('../console/reader.ts', cores.others)
  await reader.ask('signIn', { url: gateway.url, entry: entries.admin })
  const client = { load, core: cores.others }
  const rate = options.rate ?? (await capacityOf(load, gateway)) / 2
  const measure = (time: number) =>
    measureOwn(client, gateway, { connections, seconds: time, body, rate })
  await reader.ask('begin', { restMs })
  await measure(settleSeconds)
  await reader.ask('end', undefined as never)
  await measure(warmSeconds)
  console.log(`${rate.toFixed(0)} model requests a second. Resident: ${residentMb()} MB`)

  const found = { alone: [] as number[], again: [] as number[], read: [] as number[] }
  for (let pair = 0; pair < pairs; pair++) {
    const alone = await measure(seconds)
    const again = await measure(seconds)
    await reader.ask('begin', { restMs })
    const command = beside?.()
    const read = await measure(seconds)
    await command?.end()
    const seen = await reader.ask('end', undefined as never)
    for (const [name, { p99Ms }] of Object.entries({ alone, again, read })) {
      found[name as keyof typeof found].push(p99Ms ?? Number.NaN)
    }
    const numbers = [alone, again, read].map(
      ({ p50Ms = 0, p99Ms = 0, cpuUs = 0 }) =>
        `${p50Ms.toFixed(2)} ${p99Ms.toFixed(2)} (${cpuUs.toFixed(0)} µs)`,
    )
    console.log(
      `p50 p99 ms: alone ${numbers[0]}, again ${numbers[1]}, read ${numbers[2]}; ` +
        `${seen.answers} answers read, at most ${seen.maxMs.toFixed(0)} ms, ` +
        `${(seen.bytes / 1e6).toFixed(0)} MB; ${residentMb()} MB resident`,
    )
  }
  const ratio = (ours: readonly number[]) => {
    const { median, min, max } = spreadOf(pairwise(ours, found.alone, (a, b) => a / b)) ?? {}
    return `${median?.toFixed(2)} (${min?.toFixed(2)}–${max?.toFixed(2)})`
  }
  const medianOf = (ours: readonly number[]) => `${spreadOf(ours)?.median.toFixed(2)} ms`
  console.log(`p99 over that alone: alone again ${ratio(found.again)}, read ${ratio(found.read)}`)
  console.log(
    `Medians of p99: alone ${medianOf([...found.alone, ...found.again])}, read ${medianOf(found.read)}`,
  )
}

/** Answers a second when each connection asks anew at once; the first stretch warms up. */
async function capacityOf(load: Part<LoadQuestions>, { port, headers }: Subject): Promise<number> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request =
    `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  await load.ask('begin', { port, request, connections })
  await Bun.sleep(warmSeconds * 1000)
  await load.ask('stats', undefined as never)
  await Bun.sleep(2000)
  const { answers, seconds, failed } = await load.ask('stats', undefined as never)
  await load.ask('end', undefined as never)
  if (failed > 0) throw new Error(`${failed} of ${answers} answers failed`)
  return answers / seconds
}
