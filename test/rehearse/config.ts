import { speaksAt, type TollgateYamlOptions, upstreamKey } from '../support/tollgate-yaml.ts'

/** Who pays: an account with a key of its own, by the name of its token. */
export const payers = {
  /** Its upstream speaks what it speaks. */
  rich: { key: 'sk-rich-0123456789abcdefghijklmnop', thousandths: 1000 },
  /** Its group reads on when a client leaves. */
  draining: { key: 'sk-draining-0123456789abcdefghijkl', thousandths: 500 },
  /** Its channels speak one protocol each: three of four requests are translated. */
  resold: { key: 'sk-resold-0123456789abcdefghijklmn', thousandths: 1500 },
  /** The first of its channels is the odd one. */
  doubled: { key: 'sk-doubled-0123456789abcdefghijklm', thousandths: 2000 },
  /** The budget of its token is soon used up. */
  limited: { key: 'sk-limited-0123456789abcdefghijklm', thousandths: 1000 },
  /** Always short of money, and everything is dear for it. */
  poor: { key: 'sk-poor-0123456789abcdefghijklmnop', thousandths: 1_000_000 },
} as const
export type Payer = keyof typeof payers
export const payerNames = Object.keys(payers) as Payer[]

export const emailOf = (payer: Payer) => `${payer}@example.com`

/** Prices in nano-USD per token. */
export const prices = { input: 1000n, output: 2000n } as const

/** In USD. Plenty is more than a rehearsal can spend. */
const balances: Partial<Record<Payer, number>> = { poor: 0.3 }
const plenty = 1_000_000
const budgets: Partial<Record<Payer, number>> = { limited: 0.05 }

/** Upstreams that are silent are given up soon. */
const timeouts = { connect: '2s', first_byte: '3s', idle: '3s', total: '20s' }

const channelsOf: Record<Payer, readonly string[]> = {
  ...{ rich: ['main'], draining: ['main'], limited: ['main'], poor: ['main'] },
  ...{ resold: ['only-chat', 'only-messages'], doubled: ['odd', 'main'] },
}

/** Addresses of the upstream that is always well, unless a fault says otherwise, and of the odd one. */
export interface UpstreamUrls {
  readonly main: string
  readonly odd: string
}

/** What the configuration of every node says, but for its address and its store. */
export function rehearsedOptions({ main, odd }: UpstreamUrls): TollgateYamlOptions {
  const channel = (name: string, url: string, speaks = speaksAt(url)) => ({
    ...{ name, speaks, api_key: upstreamKey, models: ['test-model'] },
    ...{ allow_private: true, timeouts },
  })
  return {
    upstream: main,
    channel: { timeouts },
    moreChannels: [
      channel('only-chat', main, speaksAt(main, ['chat'])),
      channel('only-messages', main, speaksAt(main, ['messages'])),
      channel('odd', odd),
    ],
    moreGroups: payerNames.map((name) => ({
      ...{ name, channels: channelsOf[name], rate_multiplier: payers[name].thousandths / 1000 },
      ...(name === 'draining' && { on_disconnect: 'drain' }),
    })),
    moreAccounts: payerNames.map((name) => ({
      ...{ email: emailOf(name), balance: balances[name] ?? plenty },
      tokens: [
        {
          ...{ name, key: payers[name].key, group: name },
          ...(budgets[name] && { budget: { total: budgets[name] } }),
        },
      ],
    })),
  }
}
