import { mkdirSync, writeFileSync } from 'node:fs'
import { binaryPath } from '../../support/binary.ts'
import type { TempDir } from '../../support/temp-dir.ts'
import { speaksAt, testKey, tollgateYaml } from '../../support/tollgate-yaml.ts'
import { startNginxProxy } from './nginx.ts'
import { type Program, startProgram } from './program.ts'

/** What is measured. */
export const subjectNames = [
  'direct',
  'nginx',
  'bare',
  'tollgate',
  'workers-2',
  'workers-4',
  'translating',
  'portkey',
] as const
export type SubjectName = (typeof subjectNames)[number]

/** A subject before one upstream. */
export interface Subject extends AsyncDisposable {
  readonly name: string
  readonly url: string
  readonly port: number
  /** What a request to it carries beside its body. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: there is nothing between client and upstream. */
  readonly program: Program | undefined
}

/** Where subjects run and what they need. */
export interface Place {
  readonly folder: TempDir
  /** Holds files that the nginx subject serves. */
  readonly files: string
  readonly core: number
  /** Told from others of the same subject, which run at the same time, by this. */
  readonly mark?: string
  /** Added to the environment of Bun programs. */
  readonly env?: Readonly<Record<string, string>>
  /** The file that starts the Node gateway; undefined where it could not be installed. */
  readonly portkey: string | undefined
}

const headers = { 'content-type': 'application/json', authorization: `Bearer ${testKey}` }

/** What every setting of the runtime that concerns proxies is for a plain Bun program. */
const bareEnv = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' }

/** Starts a subject before the upstream; undefined where it is not there. */
export async function startSubject(
  name: SubjectName,
  upstream: string,
  place: Place,
): Promise<Subject | undefined> {
  const program = await startNamed(name, upstream, place)
  if (program !== undefined) {
    return subjectOf(name, program, name === 'portkey' ? portkeyHeaders(upstream) : {})
  }
  if (name !== 'direct') return undefined
  const port = Number(new URL(upstream).port)
  return { name, url: upstream, port, headers, program, async [Symbol.asyncDispose]() {} }
}

/** A program as a subject; `more` is what requests to it carry beside the usual headers. */
export function subjectOf(
  name: string,
  program: Program,
  more: Readonly<Record<string, string>> = {},
): Subject {
  return {
    ...{ name, url: program.url, port: program.port, program },
    headers: { ...headers, ...more },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}

async function startNamed(name: SubjectName, upstream: string, place: Place) {
  const { folder, core, env, mark = '' } = place
  const own = `${name}-${new URL(upstream).port}${mark}`
  const log = folder.join(`${own}.log`)
  switch (name) {
    case 'direct':
      return undefined
    case 'nginx':
      return startNginxProxy(place, { upstream, core })
    case 'bare': {
      const file = `${import.meta.dir}/../bare-proxy.ts`
      const command = (port: number) => [process.execPath, file, String(port), upstream]
      return startProgram({ command, core, log, env: { ...bareEnv, ...env } })
    }
    case 'tollgate':
    case 'workers-2':
    case 'workers-4':
    case 'translating': {
      const cwd = folder.join(own)
      const speaks = name === 'translating' ? ('messages' as const) : ('chat' as const)
      const workers = workersOf[name] ?? 1
      const config = (listen: string) => tollgateConfig({ listen, upstream, speaks, workers })
      return startTollgate({ cwd, core, log, config, ...(env && { env }) })
    }
    case 'portkey': {
      const { portkey } = place
      if (portkey === undefined) return undefined
      const command = (port: number) => ['node', portkey, `--port=${port}`, '--headless']
      return startProgram({ command, core, log, env: { NODE_ENV: 'production' } })
    }
  }
}

/** Processes that answer requests, beside their keeper; the others are one process. */
const workersOf: Readonly<Partial<Record<SubjectName, number>>> = { 'workers-2': 2, 'workers-4': 4 }

const portkeyHeaders = (upstream: string) => ({
  'x-portkey-provider': 'openai',
  'x-portkey-custom-host': `${upstream}/v1`,
})

interface TollgateOptions {
  /** Where its configuration and its database lie. */
  readonly cwd: string
  readonly core: number
  readonly log: string
  readonly config: (listen: string) => string
  readonly env?: Readonly<Record<string, string>>
}

/** The compiled program; it logs JSON lines into a file. */
export function startTollgate({ cwd, core, log, config, env }: TollgateOptions): Promise<Program> {
  mkdirSync(cwd, { recursive: true })
  const file = `${cwd}/tollgate.yaml`
  const command = (port: number) => {
    writeFileSync(file, config(`127.0.0.1:${port}`), { mode: 0o600 })
    return [binaryPath, 'serve', '--log', 'json', '--config', file]
  }
  return startProgram({ command, core, log, cwd, ...(env && { env }) })
}

interface ConfigOptions {
  readonly listen: string
  readonly upstream: string
  readonly speaks: 'chat' | 'messages'
  readonly models?: readonly string[]
  readonly workers?: number
  /** Names of groups beside the default one. */
  readonly groups?: readonly string[]
}

const limits = { rpm: 1_000_000_000, tpm: 1_000_000_000, concurrency: 1_000_000 }
const budget = { total: 900_000, day: 900_000, month: 900_000 }

/** A gateway with everything on: limits and budgets that are looked at but never reached. */
export function tollgateConfig(options: ConfigOptions) {
  const { listen, upstream, speaks, models, groups, workers } = options
  return tollgateYaml({
    listen,
    upstream,
    balance: 1_000_000,
    ...(models && { models }),
    ...(workers !== undefined && { server: { workers } }),
    channel: { speaks: speaksAt(upstream, [speaks]), limits },
    group: { limits },
    token: { limits, budget },
    moreGroups: (groups ?? []).map((name) => ({ name, channels: ['main'] })),
  })
}
