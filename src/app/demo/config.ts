import { createTokenKey } from '../../lib/ids.ts'
import { madeUpCustomers } from './week-plan.ts'

interface DemoParts {
  readonly port: number
  readonly upstreamUrl: string
  /** Key of the token that the printed commands use. */
  readonly tokenKey: string
  readonly password: string
  /** Without made-up customers, and with one model alone. */
  readonly isEmpty: boolean
}

export const demoAdmin = 'admin@example.com'

/** Owns the token of the printed commands; has no made-up requests. */
export const demoAccount = 'demo@example.com'

const ownModels = ['demo', 'demo-embedding', 'demo-painter']

/** Models by the vendor whose names they have; all are answered by the built-in upstream. */
const vendorModels = {
  openai: ['gpt-5', 'gpt-5-mini', 'gpt-5-nano'],
  anthropic: ['claude-sonnet-5', 'claude-haiku-4-5'],
  google: ['gemini-2.5-pro', 'gemini-2.5-flash'],
  deepseek: ['deepseek-v4-flash'],
} as const

/** What the built-in upstream lists. */
export const demoModels: readonly string[] = [...ownModels, ...Object.values(vendorModels).flat()]

/** Of two channels with the same models: takes over when the first one fails. */
export const secondChannel = 'openai-second'

/** The demo's tollgate.yaml beside its database, so that every other command works on it. */
export function createDemoConfig(parts: DemoParts): string {
  const { port, upstreamUrl, tokenKey, password, isEmpty } = parts
  const channels = channelsAt(upstreamUrl, isEmpty)
  const names = channels.map(({ name }) => name)
  // Every JSON document is a YAML document.
  return JSON.stringify(
    {
      server: { listen: `127.0.0.1:${port}`, shutdown_grace: '5s' },
      store: 'sqlite:./demo.db',
      site: { name: 'Tollgate demo' },
      channels,
      groups: [
        { name: 'demo', description: 'All models', rate_multiplier: 0.8, channels: names },
        ...(isEmpty ? [] : groupsOf(names)),
      ],
      prices: {
        demo: { input: 0.25, output: 2, cache_read: 0.025, cache_write: 0.3125 },
        'demo-embedding': { input: 0.02, output: 0 },
        'demo-painter': { per_call: 0.04 },
        // DeepSeek's own price is in no list of vendors' prices.
        ...(isEmpty
          ? {}
          : { 'deepseek-v4-flash': { input: 0.14, output: 0.28, cache_read: 0.028 } }),
      },
      accounts: [
        {
          email: demoAccount,
          balance: 10,
          tokens: [{ name: 'demo', key: tokenKey, group: 'demo' }],
        },
        { email: demoAdmin, role: 'admin', password, ...(isEmpty ? {} : accountOf(demoAdmin)) },
        ...(isEmpty ? [] : others()),
      ],
    },
    null,
    2,
  )
}

function channelsAt(url: string, isEmpty: boolean) {
  const common = { api_key: 'any-key-will-do', allow_private: true }
  const all = { chat: `${url}/v1`, responses: `${url}/v1`, messages: url, gemini: url }
  const builtIn = { ...common, name: 'built-in', speaks: all, models: ownModels }
  if (isEmpty) return [builtIn]
  const openai = { chat: all.chat, responses: all.responses }
  const { openai: models, anthropic, google, deepseek } = vendorModels
  return [
    builtIn,
    { ...common, name: 'openai', speaks: openai, models },
    { ...common, name: secondChannel, speaks: openai, models, priority: 1 },
    { ...common, name: 'anthropic', speaks: { messages: url }, models: anthropic },
    { ...common, name: 'google', speaks: { gemini: url }, models: google },
    { ...common, name: 'deepseek', speaks: { chat: all.chat }, models: deepseek },
  ]
}

const groupsOf = (channels: readonly string[]) => [
  { name: 'standard', description: 'All models at list price', channels },
  {
    name: 'partners',
    description: 'Small models at half the price',
    rate_multiplier: 0.5,
    channels: ['openai', secondChannel, 'deepseek', 'built-in'],
  },
]

function accountOf(email: string) {
  const customer = madeUpCustomers.find((one) => one.email === email)
  if (customer === undefined) return {}
  const { balanceUsd, token: name, group } = customer
  return { balance: balanceUsd, tokens: [{ name, key: createTokenKey(), group }] }
}

const others = () =>
  madeUpCustomers
    .filter(({ email }) => email !== demoAdmin)
    .map(({ email }) => ({ email, ...accountOf(email) }))
