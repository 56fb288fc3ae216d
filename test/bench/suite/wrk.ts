import { writeFileSync } from 'node:fs'
import { pinnedTo } from '../streams/part.ts'

/** What wrk saw in one stretch of time. */
export interface WrkResult {
  readonly perSecond: number
  readonly requests: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
}

export interface WrkOptions {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly core: number
  /** Made by `writeScript`. */
  readonly script: string
}

/** What wrk is to send: a POST where there is a body. */
export interface Asked {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Writes what wrk sends, and how it says what it saw: as one line of JSON. */
export function writeScript(file: string, { headers, body }: Asked): void {
  if (body !== undefined) writeFileSync(`${file}.body`, body)
  const lines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  )
  const post = `local file = assert(io.open(${JSON.stringify(`${file}.body`)}, "rb"))
wrk.body = file:read("*a")
file:close()
wrk.method = "POST"`
  writeFileSync(
    file,
    `${body === undefined ? '' : post}
${lines.join('\n')}
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\\n{"requests":%d,"durationUs":%d,"p50Us":%.0f,"p90Us":%.0f,"p99Us":%.0f,"failed":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(90),
    latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
`,
  )
}

/** Loads an address for so long; fails when any request failed. */
export async function runWrk({ url, connections, seconds, core, script }: WrkOptions) {
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script]
  const child = Bun.spawn([...pinnedTo(core), 'wrk', ...options, url], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return parseWrk(await child.stdout.text())
}

/** Reads the line that the script made wrk write. */
export function parseWrk(text: string): WrkResult {
  const line = /^\{.*\}$/m.exec(text)?.[0]
  if (line === undefined) throw new Error(`wrk said nothing to read:\n${text}`)
  const { requests, durationUs, p50Us, p90Us, p99Us, failed } = JSON.parse(line)
  if (failed > 0) throw new Error(`${failed} of ${requests} requests failed`)
  if (requests === 0) throw new Error('no request was answered in time')
  return {
    perSecond: requests / (durationUs / 1e6),
    requests,
    p50Ms: p50Us / 1000,
    p90Ms: p90Us / 1000,
    p99Ms: p99Us / 1000,
  }
}
