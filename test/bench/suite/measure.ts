import { readFileSync } from 'node:fs'
import type { Part } from '../streams/part.ts'
import type { LoadQuestions } from './load.ts'
import { chatPath } from './requests.ts'
import type { Subject } from './subjects.ts'
import type { Figures } from './summary.ts'
import { runWrk } from './wrk.ts'

/** What puts load on a subject. */
export interface Client {
  readonly load: Part<LoadQuestions>
  readonly core: number
}

const megabyte = 1_000_000

/** One measurement by wrk: as many requests as are answered. */
export async function measureRequests(
  { core }: Client,
  subject: Subject,
  options: {
    readonly connections: number
    readonly seconds: number
    readonly script: string
    readonly path: string
    /** Of a request's body; 0: not worth a figure. */
    readonly bodyBytes: number
  },
): Promise<Figures> {
  const { connections, seconds, script, path, bodyBytes } = options
  const usage = watch(subject)
  const url = subject.url + path
  const result = await runWrk({ url, connections, seconds, core, script })
  const { perSecond, requests, p50Ms, p90Ms, p99Ms } = result
  return {
    perSecond,
    ...(bodyBytes > 0 && { mbPerSecond: (perSecond * bodyBytes) / megabyte }),
    ...{ p50Ms, p90Ms, p99Ms },
    ...usage(requests),
  }
}

const settleMs = 300

/** One measurement by the client of our own; latencies are those to the first byte of a stream. */
export async function measureOwn(
  { load }: Client,
  subject: Subject,
  options: {
    readonly connections: number
    readonly seconds: number
    readonly body: string
    /** Requests a second; undefined: as many as are answered, and events are counted. */
    readonly rate?: number
  },
): Promise<Figures> {
  const { connections, seconds, body, rate } = options
  const begin = {
    ...{ port: subject.port, request: wholeRequest(subject, body), connections },
    ...(rate !== undefined && { rate }),
  }
  try {
    await load.ask('begin', begin)
    await Bun.sleep(settleMs)
    await load.ask('stats', undefined as never)
    const usage = watch(subject)
    await Bun.sleep(seconds * 1000)
    const { answers, events, failed, ...got } = await load.ask('stats', undefined as never)
    const counted = rate === undefined ? events : answers
    const used = usage(counted)
    if (failed > 0) throw new Error(`${failed} of ${answers} answers failed`)
    const { p50, p90, p99 } = rate === undefined ? got.firstMs : got.wholeMs
    return { perSecond: counted / got.seconds, p50Ms: p50, p90Ms: p90, p99Ms: p99, ...used }
  } finally {
    await load.ask('end', undefined as never)
  }
}

function wholeRequest({ headers, port }: Subject, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return (
    `POST ${chatPath} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/** Watches what a subject takes from now on; gives it for so many requests or events. */
function watch({ program }: Subject): (count: number) => Figures {
  const stolenPercent = watchStolen()
  if (program === undefined) return () => ({ stolenPercent: stolenPercent() })
  const before = program.cpuSeconds()
  return (count) => ({
    ...perCore(count, program.cpuSeconds() - before),
    residentMb: program.residentBytes() / megabyte,
    stolenPercent: stolenPercent(),
  })
}

function perCore(count: number, seconds: number): Figures {
  return count === 0 ? {} : { cpuUs: (seconds / count) * 1e6, perCoreSecond: count / seconds }
}

/** Of the machine's processor time from now on: what its host gave to others. */
function watchStolen(): () => number {
  const read = () => {
    const [, ...ticks] = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '').split(/ +/)
    const counts = ticks.slice(0, 8).map(Number)
    return { all: counts.reduce((sum, count) => sum + count, 0), stolen: counts[7] ?? 0 }
  }
  const before = read()
  return () => {
    const after = read()
    return ((after.stolen - before.stolen) / Math.max(after.all - before.all, 1)) * 100
  }
}
