import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts'
import { recordedBill } from '../support/recorded-bill.ts'
import { hasRecordings } from '../support/recordings.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { loadPlays, type Play } from './recorded-plays.ts'

// Real provider traffic through the compiled binary: every request arrives upstream as it was sent,
// every answer arrives at the client as it was recorded, and is billed by what it says.

const { plays, unplayable } = loadPlays()
/** Names another model for a fallback, which nothing is sold of here. */
const refused = new Set(['pai.test_openrouter.test_openrouter_with_native_options.01.38cf03'])
let upstream: FakeUpstream
let gateway: RunningBinary
/** What the upstream plays next. */
let current: Play | undefined

/** A stream in pieces that end where no frame does: the sizes come from its own hash. */
function pieces(bytes: Uint8Array): Uint8Array[] {
  const sizes = createHash('sha256').update(bytes).digest()
  const cut: Uint8Array[] = []
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = 1 + ((sizes[turn % sizes.length] ?? 0) * bytes.length) / 1024
    cut.push(bytes.subarray(from, from + Math.ceil(size)))
    from += Math.ceil(size)
  }
  return cut
}

function answer(play: Play): Response {
  const { status, contentType, bytes, sse } = play.answer
  const headers = { 'content-type': contentType }
  if (!sse) return new Response(bytes, { status, headers })
  const stream = new ReadableStream({
    async start(controller) {
      for (const piece of pieces(bytes)) {
        controller.enqueue(piece)
        await Bun.sleep(0)
      }
      controller.close()
    },
  })
  return new Response(stream, { status, headers })
}

interface Outcome {
  readonly play: Play
  readonly status: number
  readonly contentType: string | null
  readonly bytes: Uint8Array
  readonly requestId: string | null
  /** What was left out of the request. */
  readonly dropped: string | null
  readonly upstreamBody: Uint8Array | undefined
}

async function run(play: Play): Promise<Outcome> {
  current = play
  upstream.clear()
  const { method, path, body } = play.client
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    ...(body === undefined ? {} : { body }),
  })
  return {
    play,
    status: response.status,
    contentType: response.headers.get('content-type'),
    bytes: new Uint8Array(await response.arrayBuffer()),
    requestId: response.headers.get('x-request-id'),
    dropped: response.headers.get('x-tollgate-dropped'),
    // An answer in the background is asked for by the gateway itself, at any time.
    upstreamBody: upstream.requests.findLast((one) => one.method === method)?.body,
  }
}

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

describe.skipIf(!hasRecordings)('recorded traffic through the compiled binary', () => {
  const outcomes: Outcome[] = []

  beforeAll(async () => {
    upstream = startFakeUpstream(() => {
      if (current === undefined) return new Response('nothing to play', { status: 500 })
      return answer(current)
    })
    const models = [...new Set(plays.map(({ model }) => model))].filter((model) => model !== '')
    const config = (listen: string) =>
      tollgateYaml({ listen, upstream: upstream.url, models, balance: 1_000_000 })
    gateway = await startBinary({ config })
    for (const play of plays) outcomes.push(await run(play))
  }, 120_000)

  afterAll(async () => {
    await gateway?.stop()
    await upstream?.stop()
  })

  test('every file is played, but for those that no endpoint takes', () => {
    expect(unplayable.map(({ id }) => id)).toEqual([
      'pai.test_embeddings.TestGoogle.test_vertex_query.01.093d7e',
    ])
    const counts: Record<string, number> = {}
    for (const { kind } of plays) counts[kind] = (counts[kind] ?? 0) + 1
    console.log('recordings played:', plays.length, counts)
  })

  test('the upstream gets each body byte for byte, but for the usage report that is asked for', () => {
    const wrong = outcomes.filter(
      ({ play, dropped, upstreamBody }) =>
        dropped === null &&
        !refused.has(play.id) &&
        text(upstreamBody) !== (play.expectedUpstreamBody ?? ''),
    )
    expect(wrong.map(({ play }) => play.id)).toEqual([])
  })

  test('what has no price is left out and named, or refused: so many recordings, and no others', () => {
    const named: Record<string, number> = {}
    for (const { dropped } of outcomes) {
      if (dropped !== null) named[dropped] = (named[dropped] ?? 0) + 1
    }
    // Advisors are other models, at other prices; sellers of a model have prices of their own.
    expect(named).toEqual({ 'tools[0]': 5, 'provider.order': 3 })
    const status = (id: string) => outcomes.find(({ play }) => play.id === id)?.status
    expect([...refused].map(status)).toEqual([400])
  })

  test('the client gets each answer byte for byte, with its status and type', () => {
    const wrong: unknown[] = []
    for (const { play, status, contentType, bytes } of outcomes) {
      if (refused.has(play.id)) continue
      const { expected } = play
      const same =
        status === expected.status &&
        contentType === expected.contentType &&
        Buffer.compare(bytes, expected.bytes) === 0
      if (!same) wrong.push({ id: play.id, status, contentType, text: text(bytes).slice(-300) })
    }
    expect(wrong).toEqual([])
  })

  test('each record holds the usage that the recording tells, and its charge', async () => {
    const args = ['export', 'requests', '--format', 'jsonl', '--config', 'tollgate.yaml']
    const exported = await runBinary(args, { cwd: gateway.cwd })
    expect(exported.exitCode).toBe(0)
    const records = new Map<string, Record<string, unknown>>()
    for (const line of exported.stdout.trim().split('\n')) {
      const record = JSON.parse(line) as Record<string, unknown>
      records.set(String(record.request_id), record)
    }
    const wrong: unknown[] = []
    const checked: Record<string, number> = {}
    const tools: Record<string, number> = {}
    const made = new Set<unknown>()
    for (const { play, requestId, bytes } of outcomes) {
      if (refused.has(play.id)) continue
      if (play.client.body?.includes('background')) made.add(answerId(bytes))
      // What was made in the background is charged when the gateway itself has fetched it.
      if (made.has(/responses\/(resp_\w+)/.exec(play.client.path)?.[1] ?? 'none')) continue
      const record = records.get(requestId ?? '')
      const bill = play.billed ? recordedBill(play.recording) : undefined
      const kind = !play.recorded ? 'no record' : bill ? 'usage' : 'no usage told'
      checked[kind] = (checked[kind] ?? 0) + 1
      for (const [tool, count] of Object.entries(extrasOf(record).tools ?? {})) {
        tools[tool] = (tools[tool] ?? 0) + count
      }
      if (!matches(play, record, bill)) wrong.push({ id: play.id, bill, record })
    }
    console.log('records checked:', checked)
    expect(wrong).toEqual([])
    expect(tools).toEqual({
      ...{ web_search: 75, web_fetch: 1, url_context: 2, x_search: 1, file_search: 11 },
      ...{ code_execution: 37, image_generation: 4, mcp: 14, tool_search: 13 },
    })
  })
})

/** The id of a whole answer. */
const answerId = (bytes: Uint8Array): unknown => /"id":\s*"(resp_\w+)"/.exec(text(bytes))?.[1]

interface Extras {
  readonly tools?: Record<string, number>
  readonly tier?: string
  readonly vendor?: {
    readonly tools?: Record<string, number>
    readonly serviceTiers?: Record<string, number>
  }
}

const extrasOf = (record: Record<string, unknown> | undefined): Extras =>
  typeof record?.extras === 'string' ? (JSON.parse(record.extras) as Extras) : {}

/** Whether a record is what the recording says; prices are 1 and 2 USD per 1M tokens. */
function matches(
  play: Play,
  record: Record<string, unknown> | undefined,
  bill: ReturnType<typeof recordedBill>,
): boolean {
  if (!play.recorded) return record === undefined
  if (record === undefined) return false
  if (play.expected.status >= 400) return record.amount_nano === 0
  // Without a report the gateway counts by itself, where there was an answer to count.
  if (bill === undefined) return record.estimated === (play.billed && play.delivers)
  const [input, output, reasoning, cached, write5m, write1h] = bill
  const { tools = {}, tier = '', vendor } = extrasOf(record)
  const factor = vendor?.serviceTiers?.[tier] ?? 1_000_000
  const nano = Object.entries(tools).reduce(
    (sum, [tool, count]) => sum + count * (vendor?.tools?.[tool] ?? Number.NaN),
    (((input + cached + write5m + write1h) * 1_000 + output * 2_000) * factor) / 1_000_000,
  )
  return (
    record.input_tokens === input &&
    record.output_tokens === output &&
    record.reasoning_tokens === reasoning &&
    record.cache_read_tokens === cached &&
    record.cache_write_tokens === write5m &&
    record.cache_write_1h_tokens === write1h &&
    record.estimated === false &&
    record.amount_nano === nano
  )
}
