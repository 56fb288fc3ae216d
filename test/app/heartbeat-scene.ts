import { applyConfig } from '../../src/app/apply.ts'
import { createTollgate } from '../../src/app/tollgate.ts'
import { createLogger } from '../../src/lib/log.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import { allDialects, countBeats, type Dialect } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { openStore } from '../support/empty-store.ts'
import { gate, type Step } from '../support/fault/steps.ts'
import { startFaultUpstream } from '../support/fault/upstream.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { configOf } from './serving.ts'

/** A hundredth of what they really are. */
export const heartbeat = { firstMs: 250, everyMs: 150 }

/** Models that fail: what cools is left out of other tests. */
const failing = allDialects.map(({ name }) => `fails-${name}`)

/** What a client has heard. */
export interface Heard {
  readonly status: number
  readonly id: string
  /** Each piece as it came, and when, in milliseconds since the request. */
  readonly pieces: readonly { readonly text: string; readonly atMs: number }[]
  readonly text: string
}

/** Something that the upstream waits for. */
interface Silence {
  readonly name: string
  readonly protocol: Dialect['name']
  readonly beats: number
}

/** As they come in streams of events, and in an array. */
const isBeat = (text: string) => countBeats(text) > 0 || text.trim() === '' || text === '['

interface HearOptions {
  readonly model?: string
  readonly signal?: AbortSignal
}

/**
 * The gateway in this process, before an upstream that a test scripts. The channel of the model
 * `hurried`, and the first one of `pair`, take no silence longer than 2 s.
 */
export async function startHeartbeats(times = heartbeat) {
  const upstream = await startFaultUpstream()
  const speaks = speaksAt(upstream.url)
  const channel = { api_key: upstreamKey, models: ['pair'], allow_private: true, speaks }
  const timeouts = { first_byte: '2s', idle: '2s' }
  const models = ['test-model', 'hurried', ...failing]
  const config = configOf(
    tollgateYaml({
      ...{ upstream: upstream.url, store: ':memory:', models },
      moreChannels: [
        { ...channel, name: 'first', timeouts },
        { ...channel, name: 'second', priority: 1 },
        { ...channel, name: 'hurried', models: ['hurried'], timeouts },
      ],
      group: { channels: ['main', 'first', 'second', 'hurried'] },
      channel: { models: ['test-model', ...failing] },
      prices: { pair: { input: 1, output: 2 } },
    }),
  )
  const clock = Date.now
  const store = await openStore(clock)
  const secrets = createSecretBox('a secret of this test')
  await applyConfig({ store, secrets }, config, { prune: false })
  const log = createLogger({ sink: () => {}, pretty: false, clock, level: 'error' })
  const tollgate = await createTollgate({ config, store, secrets, log, clock, heartbeat: times })
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0, development: false },
    fetch: (request) => tollgate.app.handle(request),
  })
  const url = `http://127.0.0.1:${server.port}`
  const limits: number[] = []
  const timeout = (_request: Request, seconds: number) => limits.push(seconds)
  Object.assign(tollgate.app, { server: { requestIP: () => null, timeout } })
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }

  const silences: Silence[] = []

  function beaten(protocol: Dialect['name'], beats: number): void {
    for (const one of silences)
      if (one.protocol === protocol && one.beats <= beats) upstream.openGate(one.name)
  }

  return {
    ...{ upstream, tollgate, url },
    /** The seconds of silence that were allowed to connections, in order. 0: any number. */
    limits,
    /** What an upstream does until its client has heard so many heartbeats. */
    untilBeats({ name: protocol }: Dialect, beats: number): Step {
      const name = `${protocol} ${silences.length}`
      silences.push({ name, protocol, beats })
      return gate(name)
    },
    async hear(dialect: Dialect, stream: boolean, options: HearOptions = {}): Promise<Heard> {
      const { model = 'test-model', signal } = options
      const startedAt = performance.now()
      const named = dialect.name === 'gemini' ? {} : { model }
      const answer = await fetch(url + dialect.path(stream).replace('test-model', model), {
        ...{ method: 'POST', headers, proxy: false },
        body: JSON.stringify({ ...dialect.request(stream), ...named }),
        ...(signal && { signal }),
      })
      const pieces: { text: string; atMs: number }[] = []
      const decoder = new TextDecoder()
      for await (const piece of answer.body ?? []) {
        const text = decoder.decode(piece, { stream: true })
        pieces.push({ text, atMs: performance.now() - startedAt })
        beaten(dialect.name, pieces.filter((one) => isBeat(one.text)).length)
      }
      const id = answer.headers.get('x-request-id') ?? ''
      return { status: answer.status, id, pieces, text: pieces.map(({ text }) => text).join('') }
    },
    /** The receipt of a request, as soon as it is there. */
    recordOf: (id: string) =>
      until(`the record of ${id}`, async () => {
        await tollgate.settled()
        const receipt = await fetch(`${url}/v1/receipts/${id}`, { headers })
        return receipt.status === 200 && ((await receipt.json()) as Record<string, unknown>)
      }),
    async [Symbol.asyncDispose]() {
      await server.stop(true)
      tollgate.interruptAll()
      await tollgate.settled()
      await tollgate.stop()
      await store.close()
      await upstream.stop()
    },
  }
}

/** What `startHeartbeats` gives. */
export type HeartbeatScene = Awaited<ReturnType<typeof startHeartbeats>>
