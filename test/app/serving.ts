import { parse, stringify } from 'yaml'
import type { Config } from '../../src/app/config/config.ts'
import { loadConfig } from '../../src/app/config/load.ts'
import { type Instance, openInstance } from '../../src/app/instance.ts'
import { type Serving, serve } from '../../src/app/serve.ts'
import { isOnServer } from '../../src/app/store-place.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { createLogger } from '../../src/lib/log.ts'
import { lendPlace } from '../support/empty-store.ts'
import { openTablesAt, type Tables } from '../support/tables.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { createTestGroup } from '../support/test-group.ts'
import { testEngine } from '../support/test-store.ts'
import { type TollgateYamlOptions, testKey, tollgateYaml } from '../support/tollgate-yaml.ts'

/** Whether a worker answers in each app of these tests, with a keeper behind it. */
const isGroup = process.env.TOLLGATE_TEST_GROUP === '1'

/** The whole app in this process, listening on a free port, its store in memory unless one is named. */
export interface Running extends AsyncDisposable {
  readonly instance: Instance
  readonly serving: Serving
  /** The database beside it, where it can be seen (`isSeen`). */
  readonly tables: Tables
  /** Lines of warnings and errors that it logged. */
  readonly complaints: readonly string[]
  /** Puts another configuration in force, as SIGHUP does. */
  configure(options: Partial<ServingOptions>): Promise<void>
  get(path: string): Promise<unknown>
  /** Asks a model, with the default token unless another is named; `path` decides the protocol. */
  ask(path: string, body: object, key?: string, more?: object): Promise<Response>
}

/** Reads a configuration that must be right. */
export function configOf(yaml: string) {
  const loaded = loadConfig({ text: yaml, file: '/nowhere/tollgate.yaml', env: {} })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  return loaded.config
}

export interface ServingOptions extends TollgateYamlOptions {
  /** All that `prices:` has, without the default price of every model. */
  readonly onlyPrices?: object
  /** All accounts, without the default one. */
  readonly onlyAccounts?: readonly object[]
  /** What the limits of the console's sessions go by. */
  readonly sessionTick?: Clock
  readonly socketLifeMs?: number
  /** True: its database can be seen beside it. */
  readonly isSeen?: boolean
}

function readOptions({
  onlyPrices,
  onlyAccounts,
  sessionTick: _,
  socketLifeMs: __,
  isSeen: ___,
  ...options
}: ServingOptions) {
  const yaml = tollgateYaml({ listen: '127.0.0.1:0', ...options })
  const changed = {
    ...parse(yaml),
    ...(onlyPrices && { prices: onlyPrices }),
    ...(onlyAccounts && { accounts: onlyAccounts }),
  }
  return configOf(stringify(changed))
}

/** Opens what a configuration names; a secret that is nowhere else is the tests'. */
export function openConfigured(config: Config): Promise<Instance> {
  const given = process.env.TOLLGATE_SECRET
  if (isOnServer(config.store)) process.env.TOLLGATE_SECRET ??= 'the secret of all such tests'
  try {
    return openInstance(config)
  } finally {
    if (given === undefined) delete process.env.TOLLGATE_SECRET
  }
}

/** Starts the app as `tollgate serve` does. */
export async function startServing(options: ServingOptions): Promise<Running> {
  const complaints: string[] = []
  const isInMemory = testEngine === 'sqlite' && !options.isSeen
  const lent = isInMemory || options.store ? undefined : await lendPlace()
  const store = lent?.store ?? ':memory:'
  // Of a database on a server it would lie beside the configuration, which is nowhere.
  const isShared = (options.store ?? store).includes('://')
  const folder = isShared ? createTempDir('tollgate-serving') : undefined
  const server = { ...(folder && { spool: folder.join('spool') }), ...options.server }
  const read = (more: Partial<ServingOptions> = {}) =>
    readOptions({ store, ...options, server, ...more })
  let config = read()
  const instance = await openConfigured(config)
  const log = createLogger({
    sink: (line) => complaints.push(line),
    pretty: false,
    clock: Date.now,
    level: 'warn',
  })
  const group = isGroup ? await createTestGroup(1, options.socketLifeMs) : undefined
  const served = await serve({
    ...{ config, instance, log, reload: async () => config },
    sessionTick: options.sessionTick,
    socketLifeMs: options.socketLifeMs,
    member: group?.member,
  })
  await group?.start(log)
  const grouped = group && {
    ...served,
    stop() {
      group.stop()
      return served.stop()
    },
  }
  const serving = grouped ?? served
  let opened: Tables | undefined
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  return {
    instance,
    serving,
    complaints,
    get tables() {
      opened ??= openTablesAt(store)
      return opened
    },
    async configure(more) {
      config = read(more)
      await serving.reload()
    },
    get: async (path) => (await fetch(serving.url + path, { headers, proxy: false })).json(),
    ask: (path, body, key, more) =>
      fetch(serving.url + path, {
        method: 'POST',
        headers: { ...headers, ...(key && { authorization: `Bearer ${key}` }), ...more },
        body: JSON.stringify(body),
        proxy: false,
      }),
    async [Symbol.asyncDispose]() {
      await opened?.[Symbol.asyncDispose]()
      await serving.stop()
      await lent?.[Symbol.asyncDispose]()
      folder?.remove()
    },
  }
}
