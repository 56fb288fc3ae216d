import { join } from 'node:path'
import { startCluster } from '../e2e/cluster/scene.ts'
import { startBinary } from '../support/binary.ts'
import { ask, createDatabase } from '../support/postgres.ts'
import { openFile } from '../support/tables.ts'
import { speaksAt, type TollgateYamlOptions, tollgateYaml } from '../support/tollgate-yaml.ts'
import { verify } from '../torture/beside.ts'
import type { Rows } from '../torture/facts.ts'
import { logLines } from '../torture/gateway.ts'
import type { Person } from './customers.ts'
import { extras, models, type Price, renamed } from './prices.ts'
import type { Customer, Script, StoreKind } from './script.ts'
import type { Vendor } from './vendor/vendor.ts'

/** A gateway, or two, with the customers of some scripts. */
export interface World extends AsyncDisposable {
  readonly urls: readonly string[]
  readonly rows: Rows
  /** What `tollgate verify` finds; undefined when it finds nothing. */
  verify(): Promise<string | undefined>
  /** Faults that the gateway has logged. */
  errors(): readonly string[]
}

/** A customer, as account `at` of script `run`. */
export const personOf = (run: number, at: number): Person => ({
  email: `run-${run}-${at}@example.com`,
  key: `sk-adversary-${run}-${at}-0123456789abcdef`,
})

const groupOf = ({ policy, multiplier }: Customer) => `${policy}-${multiplier}`

/** Of a gateway with several. */
const workers = 4

/** Starts a gateway that knows the customers of all these scripts. */
export async function startWorld(
  store: StoreKind,
  vendor: Vendor,
  scripts: readonly Script[],
): Promise<World> {
  const options = optionsOf(vendor.url, scripts)
  if (store === 'postgres') return startTwo(options)
  return startAlone(store === 'workers' ? { ...options, server: { workers } } : options)
}

async function startAlone(options: TollgateYamlOptions): Promise<World> {
  const gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) => tollgateYaml({ listen, ...options, store: './tollgate.db' }),
  })
  const tables = openFile(join(gateway.cwd, 'tollgate.db'))
  return {
    urls: [gateway.url],
    rows: tables.rows,
    verify: () => verify(gateway.cwd),
    errors: () => errorsIn(logLines(gateway)),
    async [Symbol.asyncDispose]() {
      await tables[Symbol.asyncDispose]()
      await gateway.stop()
    },
  }
}

async function startTwo(options: TollgateYamlOptions): Promise<World> {
  const database = await createDatabase()
  const cluster = await startCluster({ ...options, store: database.url, count: 2 })
  return {
    urls: cluster.nodes.map(({ url }) => url),
    rows: (sql) => ask(database.url, sql),
    async verify() {
      const { exitCode, stdout, stderr } = await cluster.run('verify')
      return exitCode === 0 ? undefined : `verify ended with ${exitCode}: ${stdout}${stderr}`
    },
    errors: () => errorsIn(cluster.nodes.flatMap((node) => node.said())),
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const errorsIn = (lines: readonly { readonly level: string; readonly message: string }[]) =>
  lines.filter(({ level }) => level === 'error').map((line) => JSON.stringify(line))

/** Models by the protocols that their channel speaks; all others are on the channel of all. */
const alone = ['chat', 'responses', 'messages', 'gemini'] as const

const renamedOn = (name: string) =>
  Object.entries(renamed).flatMap(([id, { channel, upstream }]) =>
    channel === name ? [{ id, upstream }] : [],
  )

function optionsOf(upstream: string, scripts: readonly Script[]): TollgateYamlOptions {
  const own = (name: (typeof alone)[number]) => `${name}-1`
  const channels = ['main', ...alone]
  const customers = scripts.flatMap((script) => script.customers)
  const groups = new Map(customers.map((customer) => [groupOf(customer), customer]))
  return {
    upstream,
    models: Object.keys(models).filter(
      (model) => !alone.some((name) => own(name) === model) && !(model in renamed),
    ),
    prices: Object.fromEntries(
      Object.entries(models).map(([name, price]) => [name, priced(price)]),
    ),
    settings: { channel_cooling: false },
    moreChannels: alone.map((name) => ({
      ...{ name, speaks: speaksAt(upstream, [name]), api_key: `key-of-${name}-0123456789` },
      ...{ allow_private: true, ...(name !== 'chat' && { quirks: ['web_search'] }) },
      models: [own(name), ...renamedOn(name)],
    })),
    moreGroups: [...groups].map(([name, { policy, multiplier }]) => ({
      ...{ name, channels, rate_multiplier: multiplier / 1000 },
      on_disconnect: policy === 'drain' ? 'drain' : 'bill_observed',
    })),
    moreAccounts: scripts.flatMap((script, run) =>
      script.customers.map((customer, at) => accountOf(customer, personOf(run, at))),
    ),
  }
}

function accountOf(customer: Customer, { email, key }: Person): object {
  const { balance, concurrency, rpm, budget } = customer
  const limits = {
    ...(concurrency !== undefined && { concurrency }),
    ...(rpm !== undefined && { rpm }),
  }
  return {
    ...{ email, balance: balance / 1e9 },
    tokens: [
      {
        ...{ name: 'one', key, group: groupOf(customer) },
        ...(Object.keys(limits).length > 0 && { limits }),
        ...(budget !== undefined && { budget }),
      },
    ],
  }
}

/** A price as the configuration writes it. */
function priced(price: Price): object {
  if ('perCall' in price) return { per_call: price.perCall, ...extras }
  const { window, tiers, ...rates } = price
  return {
    ...written(rates),
    ...(tiers && { tiers: tiers.map(({ above, ...rest }) => ({ above, ...written(rest) })) }),
    ...(window !== undefined && { context_window: window }),
    ...extras,
  }
}

const written = (rates: object) =>
  Object.fromEntries(
    Object.entries(rates).map(([name, usd]) => [
      name.replace(/[A-Z]|1h/g, (letter) => `_${letter.toLowerCase()}`),
      usd,
    ]),
  )
