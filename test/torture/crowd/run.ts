import { type RunningBinary, startBinary } from '../../support/binary.ts'
import { createMemoryGroup } from '../../support/memory-group.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import {
  ask,
  bodyOf,
  type Caller,
  count,
  type OpenStream,
  openStream,
  type Tally,
} from './clients.ts'
import type { Paid, Times } from './payer.ts'

/** Who comes, and how much memory there is for them. */
export interface CrowdOptions {
  readonly limitBytes: number
  readonly streams: number
  /** Bodies that are all sent at once, by their sizes in bytes. */
  readonly bodies: readonly number[]
  readonly slowReaders: number
  /** How long small requests are measured alone, and how long beside the crowd. */
  readonly aloneMs: number
  readonly crowdMs: number
  readonly say: (line: string) => void
}

/** What became of them. */
export interface Crowd {
  readonly isAlive: boolean
  readonly kills: number
  readonly peakBytes: number
  readonly streams: Tally
  readonly bodies: Tally
  readonly slowReaders: Tally
  readonly small: Tally
  readonly alone: Times
  readonly beside: Times
}

const owners = ['payer', 'streams', 'slow', 'large-0', 'large-1', 'large-2', 'large-3'] as const
const keyOf = (owner: string) => `sk-crowd-${owner}-0123456789abcdefghijklmnop`
/** A crowd before the compiled program in a container; `why`: there is none on this machine. */
export async function runCrowd(options: CrowdOptions): Promise<Crowd | { readonly why: string }> {
  const { limitBytes, say } = options
  const found = createMemoryGroup(limitBytes)
  if (found.group === undefined) return { why: found.why }
  using group = found.group
  const upstream = Bun.spawn([process.execPath, `${import.meta.dir}/upstream.ts`], {
    ...{ stdout: 'pipe', stderr: 'inherit' },
  })
  try {
    const gateway = await startGateway(await firstLine(upstream.stdout), group.through)
    const isEnded = { now: false }
    void gateway.exited.then(() => {
      isEnded.now = true
    })
    for (const line of gateway.stdout) if (/memory/.test(line)) say(line.trim())
    try {
      const crowd = await come(gateway, options)
      return { ...crowd, isAlive: !isEnded.now, kills: group.kills(), peakBytes: group.peakBytes() }
    } finally {
      await gateway.stop()
    }
  } finally {
    upstream.kill()
    await upstream.exited
  }
}

const startGateway = (upstream: string, through: readonly string[]) =>
  startBinary({
    through,
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream, speaks: ['chat'], balance: 1_000_000 },
        models: ['small', 'stream', 'flood', 'large'],
        moreAccounts: owners.map((owner) => ({
          ...{ email: `${owner}@example.com`, balance: 1_000_000 },
          tokens: [{ name: owner, key: keyOf(owner), group: 'default' }],
        })),
      }),
  })

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const part of stream) {
    text += Buffer.from(part).toString()
    if (text.includes('\n')) break
  }
  return text.trim()
}

async function come({ port }: RunningBinary, options: CrowdOptions) {
  const { streams, bodies, slowReaders, aloneMs, crowdMs, say } = options
  const as = (owner: (typeof owners)[number]): Caller => ({ port, key: keyOf(owner) })
  await pay(as('payer'), aloneMs / 2, new Map()) // a program that has just begun is slower
  const small: Tally = new Map()
  const alone = await pay(as('payer'), aloneMs, small)
  say(`Alone: ${describeTimes(alone)}`)

  const opened = Array.from({ length: streams }, () => openStream(as('streams'), 'stream'))
  const slow = Array.from({ length: slowReaders }, () => openStream(as('slow'), 'flood', 1_024))
  const sent: Tally = new Map()
  const sending = bodies.map(async (bytes, at) => {
    const owner = owners[3 + (at % 4)] ?? 'large-0'
    count(sent, await ask(as(owner), textOf(bytes)))
  })
  const beside = await pay(as('payer'), crowdMs, small)
  await Promise.all(sending)
  say(`Beside the crowd: ${describeTimes(beside)}`)
  return {
    ...{ alone, beside, small, bodies: sent },
    streams: await tallyOf(opened),
    slowReaders: await tallyOf(slow),
  }
}

/** One text of a size is the body of many. */
const texts = new Map<number, Buffer<ArrayBuffer>>()
function textOf(bytes: number): Buffer<ArrayBuffer> {
  const known = texts.get(bytes)
  if (known) return known
  const text = Buffer.from(bodyOf('large', false, 'a long question '.repeat(bytes / 16)))
  texts.set(bytes, text)
  return text
}

/** How streams began, and whether they are still there. */
async function tallyOf(streams: readonly OpenStream[]): Promise<Tally> {
  const tally: Tally = new Map()
  for (const one of streams) {
    const begun = await Promise.race([one.begun, Bun.sleep(10_000).then(() => 'unanswered')])
    count(tally, begun === '200' && !one.isOpen() ? '200, then broken off' : begun)
  }
  for (const one of streams) one.close()
  return tally
}

/** Small requests of a process of its own: the crowd takes much of this one's time. */
async function pay({ port, key }: Caller, forMs: number, tally: Tally): Promise<Times> {
  const args = [`${import.meta.dir}/payer.ts`, String(port), key, String(forMs)]
  const child = Bun.spawn([process.execPath, ...args], { stdout: 'pipe', stderr: 'inherit' })
  const { times, answers } = (await child.stdout.json()) as Paid
  for (const [what, often] of answers) tally.set(what, (tally.get(what) ?? 0) + often)
  return times
}

export const describeTimes = ({ p50, p99, count }: Times) =>
  `${count} small requests, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
