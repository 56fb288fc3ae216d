import { expect } from 'bun:test'
import { join } from 'node:path'
import { startDemoUpstream } from '../../src/app/demo/upstream.ts'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { speaksAt, testKey, tollgateYaml } from '../support/tollgate-yaml.ts'

/** The key of a second account in the same group. */
export const otherKey = 'sk-other-0123456789abcdefghijklmno'

/** A line of `tollgate export requests`, as far as the tests look at it. */
export interface RequestRecord {
  readonly request_id: string
  readonly model: string
  readonly channel: string | null
  readonly ending: string
  readonly status: number
  readonly cause: string | null
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly estimated: boolean
  readonly amount_nano: number
}

/** The compiled gateway before a demo upstream and two scripted ones. */
export interface Bench extends AsyncDisposable {
  readonly gateway: RunningBinary
  /** Address of the demo upstream: models `demo`, `demo-embedding`, `demo-painter`, `error-…`. */
  readonly demoUrl: string
  /**
   * Answers for the models `fake` and `alias` (there called `real`), and before `twin` for `pair`; for
   * `hurried` it may not fall silent.
   */
  readonly fake: FakeUpstream
  /** Answers for `pair` when `fake` fails. */
  readonly twin: FakeUpstream
  records(): Promise<RequestRecord[]>
  /** The record of a request, as soon as it is there; an answer that was read whole has one. */
  record(requestId: string | null | undefined): Promise<RequestRecord>
}

const unscripted = () => jsonAnswer({ error: { message: 'No script.', type: 'api_error' } }, 500)

/** In USD per 1M tokens; the group's multiplier is 0.8. */
const prices = {
  demo: { input: 0.25, output: 2, cache_read: 0.025, cache_write: 0.3125, cache_write_1h: 0.5 },
  'demo-embedding': { input: 0.02, output: 0 },
  'demo-painter': { per_call: 0.04 },
  fake: { input: 1, output: 2 },
  alias: { input: 1, output: 2 },
  pair: { input: 1, output: 2 },
  hurried: { input: 1, output: 2 },
}

/** Starts everything; dispose of it in `afterAll`. */
export async function startBench(): Promise<Bench> {
  const demo = startDemoUpstream({ paceMs: 2 })
  const fake = startFakeUpstream(unscripted)
  const twin = startFakeUpstream(unscripted)
  const scripted = (name: string, upstream: FakeUpstream, models: readonly unknown[]) => ({
    name,
    speaks: speaksAt(upstream.url),
    api_key: `key-of-${name}-0123456789`,
    models,
    allow_private: true,
    priority: name === 'twin' ? 1 : 0,
  })
  const config = (listen: string) =>
    tollgateYaml({
      listen,
      upstream: demo.url,
      models: ['demo', 'demo-embedding', 'demo-painter', 'error-400', 'error-429', 'error-500'],
      prices,
      moreChannels: [
        scripted('fake', fake, ['fake', { id: 'alias', upstream: 'real' }, 'pair']),
        scripted('twin', twin, ['pair']),
        { ...scripted('hurried', fake, ['hurried']), timeouts: { idle: '1s' } },
      ],
      group: { channels: ['main', 'fake', 'twin', 'hurried'], rate_multiplier: 0.8 },
      moreAccounts: [
        {
          email: 'other@example.com',
          balance: 1,
          tokens: [{ name: 'other', key: otherKey, group: 'default' }],
        },
      ],
    })
  const gateway = await startBinary({ config })
  const records = () => exportRequests(join(gateway.cwd, 'tollgate.yaml'))
  return {
    gateway,
    demoUrl: demo.url,
    fake,
    twin,
    records,
    record: (requestId) => findRecord(records, requestId),
    async [Symbol.asyncDispose]() {
      expect(await gateway.stop()).toBe(0)
      await Promise.all([demo.stop(), fake.stop(), twin.stop()])
    },
  }
}

async function exportRequests(config: string): Promise<RequestRecord[]> {
  const args = ['export', 'requests', '--format', 'jsonl', '--config', config]
  const { stdout, stderr, exitCode } = await runBinary(args)
  if (exitCode !== 0) throw new Error(`tollgate export failed: ${stderr}`)
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as RequestRecord)
}

async function findRecord(
  records: () => Promise<RequestRecord[]>,
  requestId: string | null | undefined,
): Promise<RequestRecord> {
  if (!requestId) throw new Error('The answer named no request id.')
  const end = performance.now() + 5_000
  while (performance.now() < end) {
    const found = (await records()).filter((record) => record.request_id === requestId)
    if (found[0] && found.length === 1) return found[0]
    if (found.length > 1) throw new Error(`${found.length} records for ${requestId}.`)
  }
  throw new Error(`No record of ${requestId} within 5 s.`)
}

/** Where an SDK points: straight at the demo upstream, or at the gateway before it. */
export interface Target {
  readonly url: string
  readonly key: string
}

/**
 * Runs the same script against the vendor's stand-in and through the gateway. The results must be
 * the same but for ids and times; gives the one that came through.
 */
export async function sameThroughGateway<Result>(
  bench: Bench,
  script: (target: Target) => Promise<Result>,
): Promise<Result> {
  const direct = await script({ url: bench.demoUrl, key: 'any-key-will-do' })
  const through = await script({ url: bench.gateway.url, key: testKey })
  expect(steady(through)).toEqual(steady(direct))
  return through
}

const ids = /^(id|.*_id|responseId|thoughtSignature|created|created_at|date|headers)$/

/**
 * A copy in which ids keep their prefix only, and times only their type. A vendor that is asked for
 * usage says `usage: null` in every other chunk: that says nothing.
 */
function steady(value: unknown, name = ''): unknown {
  if (ids.test(name) && value !== null && value !== undefined) {
    return typeof value === 'string' ? `${/^[a-z]+[_-]/.exec(value)?.[0] ?? ''}…` : typeof value
  }
  if (Array.isArray(value)) return value.map((item) => steady(item))
  if (typeof value !== 'object' || value === null) return value
  const said = Object.entries(value).filter(([key, field]) => key !== 'usage' || field !== null)
  return Object.fromEntries(said.map(([key, field]) => [key, steady(field, key)]))
}

/** Everything that a stream gives. */
export async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}

/** What a promise is rejected with; fails when it is not, or takes longer than 5 s. */
export async function failureOf(action: () => PromiseLike<unknown>): Promise<unknown> {
  let timer: Timer | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve('late'), 5_000)
  })
  const outcome = async () => {
    try {
      return { value: await action() }
    } catch (error) {
      return { error }
    }
  }
  const first = await Promise.race([outcome(), late])
  clearTimeout(timer)
  if (typeof first === 'object' && first !== null && 'error' in first) return first.error
  throw new Error(first === 'late' ? 'Hangs.' : `Succeeded with ${JSON.stringify(first)}.`)
}

/** How a stream stops before its end; what the gateway says of it; and the model that is asked. */
export const stops = [
  ['is broken off', 'break', 'broke off', 'fake'],
  ['ends without its last words', 'end', 'broke off', 'fake'],
  ['falls silent', 'silence', 'fell silent', 'hurried'],
] as const

/** The first frames of a stream. */
export const beginning = (sse: string, frames: number) =>
  `${sse.split('\n\n').slice(0, frames).join('\n\n')}\n\n`

/** The first frames of a stream, and then no more. */
export function stopped(sse: string, frames: number, how: (typeof stops)[number][1]): Response {
  const text = beginning(sse, frames)
  async function* body() {
    yield new TextEncoder().encode(text)
    if (how === 'break') {
      await Bun.sleep(500) // in the same breath it would take the text with it
      throw new Error('The script breaks the stream.')
    }
    if (how === 'silence') await new Promise(() => {})
  }
  return new Response(body(), { headers: { 'content-type': 'text/event-stream' } })
}

/** A small PNG: one pixel. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** JSON schema of a tool that takes a place, and of an answer about one. */
export const placeSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const

const nowhere: { city: string } = { city: '' }

/** The same as a Standard Schema: what helpers of OpenAI's SDK take. */
export const place = {
  '~standard': {
    version: 1,
    vendor: 'test',
    types: { input: nowhere, output: nowhere },
    validate: (value: unknown) => ({ value: value as { city: string } }),
    jsonSchema: { input: () => placeSchema },
  },
} as const
