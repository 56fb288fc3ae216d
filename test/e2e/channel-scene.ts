import { join } from 'node:path'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import type { FaultRequest } from '../support/fault/requests.ts'
import type { Steps } from '../support/fault/steps.ts'
import { type FaultUpstream, type Script, startFaultUpstream } from '../support/fault/upstream.ts'
import { answerWell } from '../support/fault/well.ts'
import { openTables, type Tables } from '../support/tables.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import type { Dialect } from './dialects.ts'
import { until } from './until.ts'

/** A channel with an upstream of its own, which answers well until a test says otherwise. */
export interface SceneChannel extends FaultUpstream {
  /** Another script from now on; undefined: well again. */
  behave(script?: Script): void
}

/** One request, and whom its gateway asked for the answer. */
export interface Asked {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly attempts: readonly { readonly channel: string; readonly cause: string | null }[]
}

export interface AskOptions {
  readonly stream?: boolean
  readonly model?: string
  readonly key?: string
  /** Replaces fields of the usual body. */
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** What of a cooling tests look at. */
export interface CoolingSeen {
  readonly channel: string
  readonly key: string
  readonly model: string
  readonly cause: string
  readonly since: number
  readonly until: number
}

export interface ChannelScene<Name extends string> extends AsyncDisposable {
  readonly tollgate: RunningBinary
  readonly channels: Readonly<Record<Name, SceneChannel>>
  /** A question of its own, unless `body` says otherwise; settles when its record is kept. */
  ask(dialect: Dialect, options?: AskOptions): Promise<Asked>
  /** The table of what cools, as it was stored last. */
  cooling(): Promise<readonly CoolingSeen[]>
  /** Stops it and starts it again on the same port and data. */
  restart(): Promise<void>
}

export interface SceneOptions {
  readonly models?: readonly string[]
  readonly settings?: object
  /** Keys of further tokens of the same account. */
  readonly keys?: readonly string[]
}

/** A gateway before several channels, each with an upstream that does what a test says. */
export async function startChannels<Name extends string>(
  fields: Readonly<Record<Name, object>>,
  { models = ['test-model'], settings, keys = [] }: SceneOptions = {},
): Promise<ChannelScene<Name>> {
  const names = Object.keys(fields) as Name[]
  const started = await Promise.all(
    names.map(async (name) => [name, await startChannel()] as const),
  )
  const channels = Object.fromEntries(started) as Record<Name, SceneChannel>
  const config = (listen: string) =>
    tollgateYaml({
      ...{ listen, upstream: 'http://127.0.0.1:9', models },
      ...(settings && { settings }),
      moreChannels: names.map((name) => ({
        ...{ name, speaks: speaksAt(channels[name].url), models, allow_private: true },
        ...('api_keys' in fields[name] ? {} : { api_key: upstreamKey }),
        ...fields[name],
      })),
      group: { channels: names },
      moreAccounts: [
        {
          ...{ email: 'others@example.com', balance: 100 },
          tokens: keys.map((key) => ({ name: key, key, group: 'default' })),
        },
      ],
    })
  let tollgate = await startBinary({ config })
  const { cwd, port } = tollgate
  const tables = openTables(cwd)
  let asked = 0
  return {
    get tollgate() {
      return tollgate
    },
    channels,
    async ask(dialect, options = {}) {
      const { stream = false, model = 'test-model', key = testKey, body, headers } = options
      const question = `question ${asked++}`
      const answer = await fetch(tollgate.url + dialect.path(stream).replace('test-model', model), {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...headers,
        },
        body: JSON.stringify({ ...bodyOf(dialect, stream, question, model), ...body }),
        proxy: false,
      })
      const text = await answer.text()
      const id = answer.headers.get('x-request-id') ?? ''
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        attempts: await attemptsOf(tables, id),
      }
    },
    cooling: () =>
      tables.rows(
        'SELECT cooling.*, channel.name AS channel FROM cooling JOIN channel ON channel.id = channel_id',
      ),
    async restart() {
      await tollgate.kill()
      const args = ['serve', '--config', join(cwd, 'tollgate.yaml')]
      tollgate = await startBinary({ args, cwd, port })
    },
    async [Symbol.asyncDispose]() {
      await tables[Symbol.asyncDispose]()
      await tollgate.stop()
      await Promise.all(names.map((name) => channels[name].stop()))
    },
  }
}

async function startChannel(): Promise<SceneChannel> {
  const well = (request: FaultRequest): Steps => answerWell(request)
  const upstream = await startFaultUpstream({ script: well })
  return Object.assign(upstream, {
    behave: (script: Script = well) => upstream.handle(script),
  })
}

const bodyOf = (dialect: Dialect, stream: boolean, question: string, model: string) => ({
  ...dialect.request(stream, question),
  ...(dialect.name === 'gemini' ? {} : { model }),
})

/** The attempts of a request, when its record is there. */
async function attemptsOf(tables: Tables, id: string): Promise<Asked['attempts']> {
  const row = await until(`the record of ${id}`, () =>
    tables.one('SELECT id FROM request WHERE request_id = ?', id),
  )
  return tables.rows(
    `SELECT channel.name AS channel, cause FROM attempt JOIN channel ON channel.id = channel_id
     WHERE request_row = ? ORDER BY position`,
    Number(row),
  )
}
