import { stringify } from 'yaml'
import { testStore } from './test-store.ts'

/** What a test configuration may say; everything has a working default. */
export interface TollgateYamlOptions {
  /** `host:port` to listen on; `startBinary` gives one. */
  readonly listen?: string
  /** Address of the upstream, without a path: every base URL is made from it. */
  readonly upstream: string
  readonly speaks?: readonly ('chat' | 'responses' | 'messages' | 'gemini')[]
  readonly models?: readonly (string | { readonly id: string; readonly upstream: string })[]
  /** Prices by model; without an entry a model costs 1 in and 2 out (USD per 1M tokens). */
  readonly prices?: Readonly<Record<string, object>>
  /** Fields added to the one channel, over its defaults: `timeouts`, `api_keys` … */
  readonly channel?: object
  readonly group?: object
  readonly token?: object
  /** Opening balance in USD. */
  readonly balance?: number
  /** Whole entries beside the default ones. */
  readonly moreChannels?: readonly object[]
  readonly moreGroups?: readonly object[]
  readonly moreAccounts?: readonly object[]
  readonly server?: object
  readonly settings?: object
  readonly site?: object
  readonly signIn?: object
  /**
   * Path of the database, relative to the file; or an address of PostgreSQL. Default: what
   * TOLLGATE_TEST_STORE asks for.
   */
  readonly store?: string
  /** A Valkey in which nodes count together. */
  readonly counters?: string
  /** Address of a latest.json. */
  readonly updates?: string
}

/** The key of the default token. */
export const testKey = 'sk-test-0123456789abcdefghijklmnop'
/** The key that the default channel uses upstream. */
export const upstreamKey = 'upstream-key-0123456789'
/** The models of the default channel. */
export const testModels = ['test-model', 'other-model'] as const
/** The same, where the upstream's models are known to do nothing that their streams do not show. */
export const shownModels = testModels.map((id) => ({ id, upstream: 'gpt-4o' }))

/** TOLLGATE_TEST_WORKERS: how many workers gateways have that tests start, where a test names no number. */
const testWorkers = Number(process.env.TOLLGATE_TEST_WORKERS) || undefined

const basePaths = {
  chat: '/v1',
  responses: '/v1',
  messages: '',
  gemini: '',
} as const

/** A channel's `speaks`: each protocol with its base URL, as that vendor's SDK wants it. */
export function speaksAt(
  upstream: string,
  protocols: readonly (keyof typeof basePaths)[] = ['chat', 'responses', 'messages', 'gemini'],
) {
  return Object.fromEntries(protocols.map((name) => [name, upstream + basePaths[name]]))
}

function storeOf(named: string | undefined): string {
  if (named === undefined) return testStore
  return named.includes('://') ? named : `sqlite:${named}`
}

/**
 * A whole tollgate.yaml for a test: channel `main`, group `default`, account `user@example.com` with
 * the token `testKey`.
 */
export function tollgateYaml(options: TollgateYamlOptions): string {
  const models = options.models ?? testModels
  const ids = models.map((model) => (typeof model === 'string' ? model : model.id))
  const prices = Object.fromEntries(ids.map((id) => [id, { input: 1, output: 2 }]))
  return stringify({
    server: {
      ...(options.listen && { listen: options.listen }),
      ...(testWorkers !== undefined && { workers: testWorkers }),
      ...options.server,
    },
    store: storeOf(options.store),
    ...(options.counters && { counters: options.counters }),
    ...(options.updates && { updates: options.updates }),
    ...(options.settings && { settings: options.settings }),
    ...(options.site && { site: options.site }),
    ...(options.signIn && { sign_in: options.signIn }),
    channels: [
      {
        name: 'main',
        speaks: speaksAt(options.upstream, options.speaks),
        api_key: upstreamKey,
        models,
        allow_private: true,
        ...options.channel,
      },
      ...(options.moreChannels ?? []),
    ],
    groups: [
      { name: 'default', channels: ['main'], ...options.group },
      ...(options.moreGroups ?? []),
    ],
    prices: { ...prices, ...options.prices },
    accounts: [
      {
        email: 'user@example.com',
        balance: options.balance ?? 100,
        tokens: [{ name: 'test', key: testKey, group: 'default', ...options.token }],
      },
      ...(options.moreAccounts ?? []),
    ],
  })
}
