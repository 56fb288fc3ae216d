import type { AvailabilityBucket } from '../../../src/store/ports/availability.ts'
import { type RunningBinary, startBinary } from '../../support/binary.ts'
import type { FaultRequest } from '../../support/fault/requests.ts'
import { httpBytes, write } from '../../support/fault/steps.ts'
import { type FaultUpstream, startFaultUpstream } from '../../support/fault/upstream.ts'
import { answerWell, usualTokens, words } from '../../support/fault/well.ts'
import { openStoreOf } from '../../support/store-beside.ts'
import { openTables, type Tables } from '../../support/tables.ts'
import { speaksAt, tollgateYaml, upstreamKey } from '../../support/tollgate-yaml.ts'
import { ask as askPlainly } from '../caller.ts'
import { dialects } from '../dialects.ts'
import { openRaw, type RawAnswer, requestHead } from '../raw-client.ts'
import { expectedOf } from './expected.ts'
import type { Fault } from './fault.ts'
import {
  askedIn,
  faultyChannels,
  goodChannels,
  questionOf,
  type Row,
  upstreamModelOf,
} from './rows.ts'

/** A row of the table `cooling`, with its channel's name. */
export interface SeenCooling {
  readonly channel: string
  readonly key: string
  readonly model: string
  readonly cause: string
  readonly since: number
  readonly until: number
  readonly rounds: number
}

/** What a row came to. */
export interface Outcome {
  readonly answers: readonly RawAnswer[]
  /** How many requests each ask has put to the upstream with the fault. */
  readonly asked: number
}

/** The table, run. */
export interface Table extends AsyncDisposable {
  readonly rows: readonly Row[]
  readonly tollgate: RunningBinary
  readonly outcomes: ReadonlyMap<Row, Outcome>
  /** By channel: what cools, or has cooled and was not tried again. */
  readonly cooling: ReadonlyMap<string, readonly SeenCooling[]>
  /** By model: how its requests were counted, in minutes. */
  readonly availability: ReadonlyMap<string, readonly AvailabilityBucket[]>
  /** What the table needs to be judged when the gateway has stopped. */
  readonly tables: Tables
}

/** So many rows are under way at a time. */
const rowsAtOnce = 16

export interface TableOptions {
  /** The environment of the gateway. */
  readonly env?: () => Promise<Record<string, string>>
}

/**
 * Runs all rows of some faults before one gateway, each with a model and faulty channels of its
 * own, and stops the gateway.
 */
export async function runTable(rows: readonly Row[], { env }: TableOptions): Promise<Table> {
  const good = await startFaultUpstream({
    rules: [{ model: warmUpModel, script: brokenOff }],
    script: (request) => answerWell(request),
  })
  const servers = new Map<string, FaultUpstream>()
  const elsewhere = new Map<string, AsyncDisposable & { readonly url: URL }>()
  const asked = new Map<string | undefined, number>()
  const onAsked = ({ text }: FaultRequest) => {
    const model = askedIn(text)?.model
    asked.set(model, (asked.get(model) ?? 0) + 1)
  }
  for (const { faultName, fault } of rows) {
    if (servers.has(faultName)) continue
    servers.set(faultName, await startFault(fault, onAsked))
    if (fault.elsewhere) elsewhere.set(faultName, await fault.elsewhere())
  }
  const urlOf = ({ faultName, fault }: Row) => {
    const server = servers.get(faultName) ?? good
    const { origin } = elsewhere.get(faultName)?.url ?? {}
    return origin ?? fault.url?.(server) ?? server.url
  }
  const tollgate = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) => configOf(listen, rows, good.url, urlOf),
    ...(env && { env: await env() }),
    readyMs: 30_000,
  })
  await warmUp(tollgate.url)
  const outcomes = new Map<Row, Outcome>()
  const waiting = [...rows]
  const work = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const answers: RawAnswer[] = []
      for (const [turn] of expectedOf(row).asks.entries()) {
        const openGate = servers.get(row.faultName)?.openGate
        answers.push(await ask(tollgate.port, row, turn, openGate))
      }
      outcomes.set(row, { answers, asked: asked.get(row.model) ?? 0 })
    }
  }
  await Promise.all(Array.from({ length: rowsAtOnce }, work))
  await tollgate.kill('SIGTERM')
  const tables = openTables(tollgate.cwd)
  const stopAll = () => Promise.all([good, ...servers.values()].map((server) => server.stop()))
  return {
    ...{ rows, tollgate, outcomes, tables },
    cooling: await readCooling(tables),
    availability: await readAvailability(tollgate.cwd),
    async [Symbol.asyncDispose]() {
      await tables[Symbol.asyncDispose]()
      await stopAll()
      for (const server of elsewhere.values()) await server[Symbol.asyncDispose]()
      await tollgate.stop()
    },
  }
}

const warmUpModel = 'test-model'
/** A stream of chat that begins and ends. */
const brokenOff = [
  write(
    httpBytes({
      ...{ type: 'text/event-stream', framing: 'chunked' },
      body: dialects.chat.first(usualTokens) + dialects.chat.piece(words[0]),
    }),
  ),
]

/** The first estimate of all loads the tokenizer, which holds everything up: not in a row. */
async function warmUp(url: string): Promise<void> {
  await (await askPlainly(url, dialects.chat, true)).text()
}

async function startFault(
  { server, script = [] }: Fault,
  onAsked: (request: FaultRequest) => void,
): Promise<FaultUpstream> {
  const options = typeof server === 'function' ? await server() : server
  return startFaultUpstream({
    ...options,
    script(request) {
      onAsked(request)
      return typeof script === 'function' ? script(request) : script
    },
  })
}

/** One request of a row. Its gates open when the first words are there, and the last. */
async function ask(
  port: number,
  row: Row,
  turn: number,
  openGate: ((name: string) => void) | undefined,
): Promise<RawAnswer> {
  const { dialect, fault, isStreamed, model, ends } = row
  const question = questionOf(row, turn)
  const call = {
    method: 'POST',
    path: dialect.path(isStreamed).replace('test-model', model),
    headers: [['x-api-key', keyOf(row)]] as const,
    body: JSON.stringify({ ...dialect.request(isStreamed, question), ...modelIn(model, dialect) }),
  }
  using connection = await openRaw(port)
  connection.socket.write(requestHead(call) + call.body)
  const isBegun = ends.kind === 'breaks' || ends.kind === 'tells'
  // One that never says anything is judged by its answer.
  if (isBegun) await connection.received(words[0]).catch(() => {})
  openGate?.(question)
  if (isStreamed && fault.lastWords) await connection.received(fault.lastWords).catch(() => {})
  openGate?.(`all of ${question}`)
  return await connection.answer('POST', 20_000)
}

/** Of one token only so many refusals a minute are recorded. */
const keyOf = ({ model }: Row) => `sk-test-${model}`

const modelIn = (model: string, { name }: Row['dialect']) => (name === 'gemini' ? {} : { model })

function configOf(
  listen: string,
  rows: readonly Row[],
  goodUrl: string,
  urlOf: (row: Row) => string,
): string {
  const channel = { api_key: upstreamKey, allow_private: true }
  const shared = rows.filter(({ setting }) => setting === 'three').map(({ model }) => model)
  const faulty = rows.flatMap((row) =>
    faultyChannels(row).map((name, priority) => ({
      ...{ ...channel, name, models: [{ id: row.model, upstream: upstreamModelOf(row) }] },
      ...{ speaks: speaksAt(urlOf(row), [row.dialect.name]), priority },
      timeouts: { connect: '5s', first_byte: '20s', idle: '20s', ...row.fault.timeouts },
    })),
  )
  const good = goodChannels.map((name) => ({
    ...{ ...channel, name, models: shared, speaks: speaksAt(goodUrl), priority: 1 },
  }))
  const models = rows.map(({ model }) => model)
  const all = [...good, ...faulty]
  return tollgateYaml({
    ...{ listen, upstream: goodUrl, balance: 100_000 },
    moreChannels: all,
    group: { channels: ['main', ...all.map(({ name }) => name)] },
    moreAccounts: [
      {
        ...{ email: 'rows@example.com', balance: 100_000 },
        tokens: rows.map((row) => ({ name: row.model, key: keyOf(row), group: 'default' })),
      },
    ],
    prices: Object.fromEntries(models.map((model) => [model, { input: 1, output: 2 }])),
  })
}

async function readAvailability(folder: string) {
  const store = await openStoreOf(folder)
  const minutes = await store.availability.read('minute', 0, Number.MAX_SAFE_INTEGER)
  await store.close()
  return Map.groupBy(minutes, ({ model }) => model)
}

/** What cools, or waits for a trial, when the gateway has stopped. */
async function readCooling(tables: Tables): Promise<ReadonlyMap<string, readonly SeenCooling[]>> {
  const rows = await tables.rows<SeenCooling>(
    'SELECT cooling.*, channel.name AS channel FROM cooling JOIN channel ON channel.id = channel_id',
  )
  return Map.groupBy(rows, ({ channel }) => channel)
}
