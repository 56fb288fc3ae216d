import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts'
import {
  type RawRequest,
  type RawScript,
  type RawUpstream,
  startRawUpstream,
} from '../support/raw-upstream.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import type { Shape } from './contract/endpoints.ts'
import { openRaw, type RawAnswer, rawCall, requestHead } from './raw-client.ts'
import { vendorAnswer } from './vendor-answers.ts'

/** A protocol with the framing that its streams have. */
export interface Speech {
  readonly shape: Shape
  path(model: string, stream: boolean): string
  body(model: string, stream: boolean): object
}

const user = [{ role: 'user', content: 'hello' }]
const contents = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
const action = (stream: boolean) => (stream ? 'streamGenerateContent' : 'generateContent')

/** All four protocols; Gemini's streams have two framings. */
export const speeches = {
  chat: {
    shape: 'openai',
    path: () => '/v1/chat/completions',
    body: (model, stream) => ({
      model,
      messages: user,
      ...(stream && { stream, stream_options: { include_usage: true } }),
    }),
  },
  responses: {
    shape: 'openai',
    path: () => '/v1/responses',
    body: (model, stream) => ({ model, input: 'hello', stream }),
  },
  messages: {
    shape: 'messages',
    path: () => '/v1/messages',
    body: (model, stream) => ({ model, max_tokens: 9, messages: user, stream }),
  },
  gemini: {
    shape: 'gemini',
    path: (model, stream) => `/v1beta/models/${model}:${action(stream)}${stream ? '?alt=sse' : ''}`,
    body: () => contents,
  },
  'gemini-array': {
    shape: 'gemini',
    path: (model, stream) => `/v1beta/models/${model}:${action(stream)}`,
    body: () => contents,
  },
} as const satisfies Record<string, Speech>
export type SpeechName = keyof typeof speeches
export const speechNames = Object.keys(speeches) as SpeechName[]

/** A request's record as `export requests` tells it, as far as it is looked at here. */
export interface Exported {
  readonly request_id: string
  readonly status: number
  readonly ending: string
  readonly cause: string | null
  readonly channel: string | null
  readonly attempts: number
  readonly stream: boolean
  readonly output_tokens: number
  readonly estimated: boolean
  readonly amount_nano: number
}

export interface BrokenUpstream extends AsyncDisposable {
  readonly tollgate: RunningBinary
  /** The upstream that misbehaves as the model's name says. */
  readonly raw: RawUpstream
  /** The one that the channel `second` asks, and that redirects point to. */
  readonly good: FakeUpstream
  /** Every answer so far. */
  readonly answers: readonly RawAnswer[]
  ask(speech: SpeechName, stream: boolean, model: string): Promise<RawAnswer>
  /** Asks for a stream; `gate(model)` opens when `text` has come. */
  askUntil(speech: SpeechName, model: string, text: string): Promise<RawAnswer>
  records(): Promise<Map<string, Exported>>
  /** What nobody outside may see. */
  secrets(): string[]
}

const gates = new Map<string, PromiseWithResolvers<void>>()

/** For scripts: settles when the client of that request has what it was to have first. */
export function gate(request: RawRequest): Promise<void> {
  return gates.get(askedModel(request) ?? '')?.promise ?? Promise.resolve()
}

/** The model that a request names, in its path or in its body. */
function askedModel({ head, body }: RawRequest): string | undefined {
  return /\b(?:one|two|both)\.[\w-]+/.exec(head + body.toString())?.[0]
}

/** The one short limit of time of channels that do these `scripts`; all other limits are as usual. */
const hurried = {
  'first-byte': {
    scripts: /^(stored-)?silent$|^half-a-head$|^head-then-silence$/,
    timeouts: { first_byte: '300ms' },
  },
  idle: { scripts: /^silent-/, timeouts: { idle: '400ms' } },
  total: { scripts: /^never-ending$|^endless-/, timeouts: { total: '1200ms' } },
} as const
const limits = Object.keys(hurried) as (keyof typeof hurried)[]
const limitOf = (script: string) => limits.find((limit) => hurried[limit].scripts.test(script))
const named = (channel: string, limit: string | undefined) =>
  limit === undefined ? channel : `${channel}-${limit}`

/** The channel that is asked first by all whose upstream does this script. */
export const mainOf = (script: string) => named('main', limitOf(script))

/**
 * A gateway before upstreams that misbehave. A model `one.x` is offered by a channel that does `x`
 * of `scripts`; `two.x` has a good second channel behind it, `both.x` one more that does the same.
 */
export async function startBrokenUpstream(
  scripts: (good: FakeUpstream) => Readonly<Record<string, RawScript>>,
): Promise<BrokenUpstream> {
  const good = startFakeUpstream(vendorAnswer)
  const known = scripts(good)
  const raw = await startRawUpstream((socket, request) => {
    const wanted = askedModel(request)?.replace(/^\w+\./, '')
    return known[wanted ?? '']?.(socket, request)
  })
  const nobody = 'http://127.0.0.1:9'
  const names = Object.keys(known)
  const modelsOf = (scripts: readonly string[], ...prefixes: readonly string[]) =>
    prefixes.flatMap((prefix) => scripts.map((name) => `${prefix}.${name}`))
  const channel = (name: string, url: string, models: string[], priority: number) => ({
    ...{ name, speaks: speaksAt(url), api_key: upstreamKey, allow_private: true },
    ...{ models, priority },
  })
  const bad = [...Map.groupBy(names, limitOf)].flatMap(([limit, scripts]) => {
    const timeouts = limit && hurried[limit].timeouts
    return [
      channel(named('main', limit), raw.url, modelsOf(scripts, 'one', 'two', 'both'), 0),
      channel(named('third', limit), raw.url, modelsOf(scripts, 'both'), 2),
    ].map((one) => ({ ...one, ...(timeouts && { timeouts }) }))
  })
  const [first, ...moreChannels] = [
    ...bad,
    channel('second', good.url, modelsOf(names, 'two'), 1),
    channel('gone', nobody, ['gone'], 0),
  ]
  const config = (listen: string) =>
    tollgateYaml({
      listen,
      upstream: raw.url,
      // Every request meets every channel, whatever the ones before it met.
      settings: { channel_cooling: false },
      models: [...modelsOf(names, 'one', 'two', 'both'), 'gone'],
      ...(first && { channel: first }),
      moreChannels,
      group: { channels: [first, ...moreChannels].map((one) => one?.name) },
    })
  const tollgate = await startBinary({ args: ['serve', '--log', 'json'], config })
  const answers: RawAnswer[] = []
  return {
    tollgate,
    raw,
    good,
    answers,
    async ask(name, stream, model) {
      const answer = await rawCall(tollgate.port, callOf(name, stream, model))
      answers.push(answer)
      return answer
    },
    async askUntil(name, model, text) {
      const opening = Promise.withResolvers<void>()
      gates.set(model, opening)
      using connection = await openRaw(tollgate.port)
      const call = callOf(name, true, model)
      connection.socket.write(requestHead(call) + call.body)
      await connection.received(text)
      opening.resolve()
      const answer = await connection.answer('POST')
      answers.push(answer)
      return answer
    },
    async records() {
      const file = `${tollgate.cwd}/tollgate.yaml`
      const { stdout } = await runBinary([
        'export',
        'requests',
        '--format',
        'jsonl',
        '--config',
        file,
      ])
      const rows = stdout.trim().split('\n')
      return new Map(
        rows.map((line) => JSON.parse(line) as Exported).map((row) => [row.request_id, row]),
      )
    },
    secrets: () => [upstreamKey, ...[raw.url, good.url, nobody].map((url) => new URL(url).host)],
    async [Symbol.asyncDispose]() {
      await tollgate.stop()
      await Promise.all([raw.stop(), good.stop()])
    },
  }
}

function callOf(name: SpeechName, stream: boolean, model: string) {
  const { path, body } = speeches[name]
  return {
    method: 'POST',
    path: path(model, stream),
    headers: [['x-api-key', testKey]] as const,
    body: JSON.stringify(body(model, stream)),
  }
}

/** A whole HTTP answer; a `type` of null leaves the content type out. */
export function httpAnswer(
  status: string,
  body: string,
  type: string | null = 'application/json',
  headers: readonly string[] = [],
): RawScript {
  const lines = [
    `HTTP/1.1 ${status}`,
    ...(type === null ? [] : [`content-type: ${type}`]),
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return (socket) => {
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  }
}

/** An answer whose body goes on until the connection ends. */
export function untilClose(body: string, type = 'application/json'): RawScript {
  return (socket) => {
    socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${body}`)
  }
}
