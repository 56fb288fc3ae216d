import { type RunningBinary, startBinary } from '../support/binary.ts'
import { chunk, httpBytes, httpHead, lastChunk, wait, write } from '../support/fault/steps.ts'
import { dialectOf, wellWhole } from '../support/fault/well.ts'
import {
  type Answerer,
  type MortalUpstream,
  startMortalUpstream,
} from '../support/mortal-upstream.ts'
import { openTables, type Tables } from '../support/tables.ts'
import { speaksAt, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { ask } from './caller.ts'
import { allDialects, type Dialect } from './dialects.ts'

/** The channels of a scene: the same priority, these weights. */
export const channels = { one: 1, two: 2, three: 3 } as const
export type ChannelName = keyof typeof channels
export const channelNames = Object.keys(channels) as ChannelName[]

/** How an upstream is; `silent`: it takes requests, and says nothing more to anybody. */
export type Mood = 'well' | 'failing' | 'silent'

/** An upstream of the scene. */
export interface Weighted {
  mood: Mood
  readonly upstream: MortalUpstream
}

const tokens = { input: 10, output: 20 }
const pieces = 5
const pauseMs = 100

/** What the pieces of a stream say. */
const words = (name: ChannelName) => `said by ${name}. `

/** An upstream that takes about half a second for an answer, and says in streams who it is. */
async function startWeighted(name: ChannelName): Promise<Weighted> {
  const state: { mood: Mood } = { mood: 'well' }
  // A function: the mood may be another one after a while.
  const isSilent = () => state.mood === 'silent'
  const answer: Answerer = async (request, line) => {
    if (isSilent()) return line.closed
    if (state.mood === 'failing')
      return line.play([write(httpBytes({ status: 500, body: failure }))])
    const dialect = dialectOf(request)
    if (!request.isStreamed) {
      await line.play([wait(3 * pauseMs)])
      return isSilent() ? line.closed : line.play([write(wellWhole(dialect, tokens))])
    }
    await line.play([write(httpHead(streamed)), write(chunk(dialect.first(tokens)))])
    for (let said = 0; said < pieces; said++) {
      await line.play([write(chunk(dialect.piece(words(name)))), wait(pauseMs)])
      if (isSilent()) return line.closed
    }
    return line.play([write(chunk(dialect.last(tokens))), write(lastChunk)])
  }
  return Object.assign(state, { upstream: await startMortalUpstream(answer) })
}

const streamed = { type: 'text/event-stream', framing: 'chunked' } as const
const failure = JSON.stringify({ error: { message: 'The server had an error.', code: 500 } })

/** Three channels behind one group, and who stands behind them. */
export interface WeightedScene extends AsyncDisposable {
  readonly gateway: RunningBinary
  readonly tables: Tables
  readonly upstreams: Readonly<Record<ChannelName, Weighted>>
}

/** Starts them, one channel with limits of time of its own: the others are waited for. */
export async function startWeightedScene(
  hurried: ChannelName,
  timeouts: object = {},
): Promise<WeightedScene> {
  const [one, two, three] = await Promise.all([
    startWeighted('one'),
    startWeighted('two'),
    startWeighted('three'),
  ])
  const upstreams = { one, two, three }
  const channel = (name: ChannelName) => ({
    ...{
      name,
      speaks: speaksAt(upstreams[name].upstream.url),
      api_key: upstreamKey,
      allow_private: true,
    },
    ...{ weight: channels[name], models: ['test-model'] },
    timeouts: name === hurried ? timeouts : {},
  })
  const gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: one.upstream.url, balance: 10_000 },
        moreChannels: channelNames.map(channel),
        group: { channels: channelNames },
      }),
  })
  const tables = openTables(gateway.cwd)
  return {
    gateway,
    tables,
    upstreams,
    async [Symbol.asyncDispose]() {
      await tables[Symbol.asyncDispose]()
      await gateway.stop()
      for (const name of channelNames) await upstreams[name].upstream[Symbol.asyncDispose]()
    },
  }
}

/** What one client saw of one request. Times are milliseconds since 1970. */
export interface Seen {
  readonly begunAt: number
  /** `broken`: a stream that had begun, and of which the client knows that it is not whole. */
  readonly outcome: 'whole' | 'broken' | 'wrong'
  readonly what: string
}

/** Clients that ask one thing after the other, each something else; `first`: the number of the first client. */
export function startClients(url: string, count: number, first = 0) {
  const seen: Seen[] = []
  let isOver = false
  let asked = 0
  const run = async (at: number) => {
    while (!isOver) {
      const number = asked++
      const dialect = allDialects[(number + at) % allDialects.length] as Dialect
      seen.push(await askOnce(url, dialect, number % 2 === 0, `Question ${number} of client ${at}`))
    }
  }
  const running = Array.from({ length: count }, (_, at) => run(first + at))
  return {
    seen,
    async stop() {
      isOver = true
      await Promise.all(running)
    },
  }
}

async function askOnce(
  url: string,
  dialect: Dialect,
  stream: boolean,
  question: string,
): Promise<Seen> {
  const begunAt = Date.now()
  let text = ''
  try {
    const answer = await ask(url, dialect, stream, { question })
    if (answer.status !== 200 || !stream) {
      const body = await answer.text()
      const isWhole = answer.status === 200 && body === JSON.stringify(dialect.body(tokens))
      const what = `${dialect.name} ${answer.status} ${body}`
      return { begunAt, outcome: isWhole ? 'whole' : 'wrong', what }
    }
    const decoder = new TextDecoder()
    for await (const piece of answer.body ?? []) text += decoder.decode(piece, { stream: true })
  } catch (error) {
    text += `\n(${error})`
  }
  if (dialect.isWhole(text)) return { begunAt, outcome: 'whole', what: dialect.name }
  const isTold = dialect.isError(text)
  const isBroken = isTold && text.includes('said by ')
  return { begunAt, outcome: isBroken ? 'broken' : 'wrong', what: `${dialect.name} ${text}` }
}

/** One attempt at a channel, as the gateway recorded it. */
export interface Attempted {
  readonly channel: ChannelName
  readonly startedAt: number
  readonly cause: string | null
}

/** All attempts that began within a time, in their order, of requests that have ended. */
export const readAttempts = (
  { tables }: WeightedScene,
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): Promise<Attempted[]> =>
  tables.rows(
    `SELECT channel.name AS channel, attempt.started_at AS "startedAt", attempt.cause FROM attempt
     JOIN channel ON channel.id = attempt.channel_id
     WHERE attempt.started_at >= ? AND attempt.started_at < ? ORDER BY attempt.started_at`,
    from,
    to,
  )

/** A stretch of time in which a channel cooled, as the gateway's log told it. */
export interface Cooled {
  readonly at: number
  readonly until: number
  readonly cause: string
}

/** How often, and how long, a channel has cooled so far. */
export function readCoolings({ stdout }: RunningBinary, channel: ChannelName): Cooled[] {
  return stdout
    .filter((line) => line.includes('"channel cools"'))
    .map((line) => JSON.parse(line) as { [name: string]: string | number })
    .filter((line) => line.channel === channel)
    .map(({ time, for_ms, cause }) => {
      const at = Date.parse(String(time))
      return { at, until: at + Number(for_ms), cause: String(cause) }
    })
}
