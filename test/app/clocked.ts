import { applyConfig } from '../../src/app/apply.ts'
import { createTollgate } from '../../src/app/tollgate.ts'
import type { HeartbeatTimes } from '../../src/gateway/relay/heartbeat.ts'
import { createLogger } from '../../src/lib/log.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import { type Dialect, dialects, type Tokens } from '../e2e/dialects.ts'
import { openStore } from '../support/empty-store.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import {
  speaksAt,
  type TollgateYamlOptions,
  testKey,
  testModels,
  tollgateYaml,
} from '../support/tollgate-yaml.ts'
import { configOf } from './serving.ts'

/** How one request differs from the usual. */
export interface AskOptions {
  readonly stream?: boolean
  readonly question?: string
  readonly key?: string
  readonly signal?: AbortSignal
  /** The request's own limit of its answer, in LLM tokens; null: it sets none. */
  readonly maxTokens?: number | null
}

const limits: Readonly<Record<Dialect['name'], (most: number) => object>> = {
  chat: (most) => ({ max_completion_tokens: most }),
  responses: (most) => ({ max_output_tokens: most }),
  messages: (most) => ({ max_tokens: most }),
  gemini: (most) => ({ generationConfig: { maxOutputTokens: most } }),
}

/** What `startClocked` says its answers used, unless a test scripts the upstream: 200,000 nano-USD. */
export const usual: Tokens = { input: 100, output: 50 }
/** A limit that fits to it; such a request sets some 150,000 nano-USD aside. */
const usualLimit = 50

/** A configuration, and the time at which the clock stands. */
export interface ClockedOptions extends Partial<TollgateYamlOptions> {
  readonly start: string
  /** Another channel, `first`, to the same upstream by the key `firstKey`, is asked before `main`. */
  readonly hasFirst?: boolean
  /** How long a stream may be silent towards its client. */
  readonly heartbeat?: HeartbeatTimes
}

/** The key of the channel `first`. */
export const firstKey = 'first-key-0123456789'
const firstChannel = (upstream: string) => ({
  ...{ name: 'first', api_key: firstKey, models: testModels, allow_private: true },
  speaks: speaksAt(upstream),
})

interface Part {
  readonly limit: string
  readonly spent: string
}

/** What of `GET /v1/usage` the tests look at; money is a decimal text. */
export interface Usage {
  readonly balance: string
  readonly available: string
  readonly budget: { readonly [part in 'total' | 'day' | 'month']: Part | null } | null
}

/** The gateway in this process, asked without a socket, by a clock that a test sets. */
export async function startClocked(options: ClockedOptions) {
  const { start, hasFirst = false, heartbeat, ...yaml } = options
  let now = Date.parse(start)
  const clock = () => now
  const upstream = startFakeUpstream(({ path }) => {
    const dialect = Object.values(dialects).find((one) => one.path(false) === path)
    return jsonAnswer(dialect?.body(usual) ?? {})
  })
  const read = (more: Partial<TollgateYamlOptions> = {}) =>
    configOf(
      tollgateYaml({
        ...{ upstream: upstream.url, store: ':memory:' },
        ...(hasFirst && {
          channel: { priority: 1 },
          group: { channels: ['first', 'main'] },
          moreChannels: [firstChannel(upstream.url)],
        }),
        ...yaml,
        ...more,
      }),
    )
  const config = read()
  const store = await openStore(clock)
  const secrets = createSecretBox('a secret of this test')
  const instance = { store, secrets, warnings: [] }
  const complaints: string[] = []
  const sink = (line: string) => complaints.push(line)
  const log = createLogger({ sink, pretty: false, clock, level: 'warn' })
  await applyConfig(instance, config, { prune: false })
  const more = heartbeat && { heartbeat }
  const tollgate = await createTollgate({ config, store, secrets, log, clock, ...more })

  async function send(path: string, body: object, how: AskOptions = {}): Promise<Response> {
    const { key = testKey, signal } = how
    const request = new Request(`http://gateway.example${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
    return tollgate.app.handle(request)
  }

  return {
    upstream,
    store,
    tollgate,
    complaints,
    /** Sets the clock. */
    at(time: string) {
      now = Date.parse(time)
    },
    /** Puts another configuration in force. */
    async configure(more: Partial<TollgateYamlOptions>) {
      const changed = read(more)
      await applyConfig(instance, changed, { prune: false })
      tollgate.configure(changed)
      await tollgate.refresh()
    },
    send,
    ask(dialect: Dialect, how: AskOptions = {}): Promise<Response> {
      const { stream = false, question, maxTokens = usualLimit } = how
      const limit = maxTokens === null ? {} : limits[dialect.name](maxTokens)
      return send(dialect.path(stream), { ...dialect.request(stream, question), ...limit }, how)
    },
    /** What `GET /v1/usage` tells a token. */
    async usage(key = testKey): Promise<Usage> {
      const headers = { authorization: `Bearer ${key}` }
      const request = new Request('http://gateway.example/v1/usage', { headers })
      return (await tollgate.app.handle(request)).json() as Promise<Usage>
    },
    /** A receipt as its token reads it. */
    async receipt(requestId: string, key = testKey): Promise<Record<string, unknown>> {
      const headers = { authorization: `Bearer ${key}` }
      const request = new Request(`http://gateway.example/v1/receipts/${requestId}`, { headers })
      return (await tollgate.app.handle(request)).json() as Promise<Record<string, unknown>>
    },
    async balanceNano(email = 'user@example.com') {
      await tollgate.settled()
      return (await store.admin.account(email))?.balanceNano ?? Number.NaN
    },
    async [Symbol.asyncDispose]() {
      tollgate.interruptAll()
      await tollgate.settled()
      await tollgate.stop()
      await store.close()
      await upstream.stop()
    },
  }
}

/** What `startClocked` gives. */
export type Clocked = Awaited<ReturnType<typeof startClocked>>

/** The status and the reason of an answer, read to its end. */
export async function outcomeOf(asked: Response | Promise<Response>) {
  const answer = await asked
  await answer.text()
  return [answer.status, answer.headers.get('x-tollgate-reason')] as const
}
