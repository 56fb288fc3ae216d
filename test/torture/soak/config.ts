import type { Random } from '../../support/random.ts'
import { speaksAt, tollgateYaml, upstreamKey } from '../../support/tollgate-yaml.ts'
import { type Payer, payerNames, payers } from './asks.ts'

/** What one configuration of a soak says otherwise than another. */
export interface Variant {
  readonly weight: number
  readonly priority: number
  readonly inputUsd: number
  readonly multiplier: number
  readonly queueTime: string
  readonly maxAttempts: number
  readonly groupConcurrency: number | null
  readonly channelRpm: number | null
  /** Of the token that is often refused. */
  readonly tokenRpm: number | null
}

export const firstVariant: Variant = {
  ...{ weight: 1, priority: 0, inputUsd: 1, multiplier: 1, queueTime: '0s', maxAttempts: 6 },
  ...{ groupConcurrency: null, channelRpm: null, tokenRpm: 120 },
}

/** Nobody has to wait for a minute to be over. */
export const lastVariant: Variant = { ...firstVariant, tokenRpm: null }

/** Another one by chance. */
export function makeVariant(random: Random): Variant {
  return {
    weight: 1 + Math.floor(random() * 5),
    priority: Math.floor(random() * 2),
    inputUsd: 1 + Math.floor(random() * 5),
    multiplier: 0.5 + Math.floor(random() * 3) / 2,
    queueTime: random() < 0.5 ? '0s' : '500ms',
    maxAttempts: 2 + Math.floor(random() * 5),
    groupConcurrency: random() < 0.3 ? 3 : null,
    channelRpm: random() < 0.3 ? 100 : null,
    tokenRpm: 60 + Math.floor(random() * 300),
  }
}

const timeouts = { connect: '1s', first_byte: '2s', idle: '1500ms', total: '60s' }
/** A port that nobody listens on. */
const nobody = 'http://127.0.0.1:9'

const protocols = ['chat', 'responses', 'messages', 'gemini'] as const

/** The channels of each group. */
const channelsOf: Readonly<Record<Payer, readonly string[]>> = {
  native: ['any-a', 'any-b'],
  translated: protocols.map((name) => `only-${name}`),
  mixed: ['any-a', 'any-b', ...protocols.map((name) => `only-${name}`), 'nobody'],
  single: ['only-chat'],
  limited: ['any-a', 'only-messages'],
}

/** Names of the channels that may be switched off and on. */
export const channelNames = ['any-a', 'any-b', ...protocols.map((name) => `only-${name}`)]

/** Where a soak's gateway stands. */
export interface Place {
  /** Of the upstreams. */
  readonly urls: readonly string[]
  readonly listen: string
  /** Where its metrics are. */
  readonly metrics: string
}

/** The configuration of a soak: every group has a token, all belong to one account with plenty. */
export function soakYaml({ urls, listen, metrics }: Place, variant: Variant): string {
  const { weight, priority, inputUsd, multiplier, queueTime, maxAttempts } = variant
  const [a = '', b = '', c = '', d = ''] = urls
  const channel = (name: string, url: string, more: object = {}) => ({
    ...{ name, speaks: speaksAt(url), api_key: upstreamKey, models: ['test-model'] },
    ...{ allow_private: true, timeouts, ...more },
  })
  return tollgateYaml({
    listen,
    upstream: a,
    balance: 1_000_000,
    server: { metrics },
    settings: { queue_time: queueTime, max_attempts: maxAttempts },
    prices: { 'test-model': { input: inputUsd, output: 2 * inputUsd } },
    moreChannels: [
      channel('any-a', a, { weight }),
      channel('any-b', b, { weight: 2, priority, limits: { rpm: variant.channelRpm } }),
      ...protocols.map((name, at) => {
        const url = at % 2 === 0 ? c : d
        return channel(`only-${name}`, url, { speaks: speaksAt(url, [name]) })
      }),
      channel('nobody', nobody),
    ],
    moreGroups: payerNames.map((name) => ({
      name,
      channels: channelsOf[name],
      rate_multiplier: multiplier,
      ...(name === 'native' && { limits: { concurrency: variant.groupConcurrency } }),
      ...(name === 'single' && { on_disconnect: 'drain' }),
    })),
    moreAccounts: [
      {
        email: 'soak@example.com',
        balance: 1_000_000,
        tokens: payerNames.map((name) => ({
          ...{ name, key: payers[name].key, group: name },
          ...(name === 'limited' && { limits: { rpm: variant.tokenRpm, concurrency: 3 } }),
        })),
      },
    ],
  })
}
