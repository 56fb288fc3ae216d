import { clientReceiptView } from '../../billing/receipt/view.ts'
import { emptyCounts } from '../../catalog/availability.ts'
import type { Catalog, Channel, Group } from '../../catalog/catalog.ts'
import type { PriceTerms } from '../../store/ports/catalog.ts'
import { encodeEntries, encodeFeed } from '../feed/document.ts'
import { encodePlaza } from '../plaza/document.ts'
import { encodeStatus } from '../status/document.ts'

// Answers as this site would give them, from one account, one group and one channel.

const time = Date.UTC(2026, 10, 21, 8)
const none = { cacheRead: null, cacheWrite: null, cacheWrite1h: null }
const limits = { rpm: null, tpm: null, concurrency: null }

const channel: Channel = {
  ...{ id: 1, name: 'main', speaks: {}, keys: [], priority: 0, weight: 1, quirks: [], limits },
  timeouts: { connectMs: 10_000, firstByteMs: 300_000, idleMs: 120_000, totalMs: 3_600_000 },
  ...{ allowPrivate: false, isDraining: false, proxy: undefined, probe: null },
}

const model = 'gpt-5-mini'
const terms: PriceTerms = {
  ...{ unit: 'tokens', base: { ...none, input: 250_000, output: 2_000_000, cacheRead: 25_000 } },
  tiers: [],
}
const price = { id: 1, model, terms, source: 'vendor', note: '', validFrom: time } as const
const group: Group = {
  ...{ id: 1, name: 'default', description: 'All models', platform: 'openai', enabled: true },
  ...{ multiplierMillionths: 800_000, longContextPricing: true, onDisconnect: 'bill_observed' },
  ...{ tools: null, limits, accounts: null, regions: null },
  offers: new Map([
    [
      model,
      { model, price, candidates: [{ channel, upstreamModel: model }], contextWindow: 400_000 },
    ],
  ]),
}
const groups: Catalog['groups'] = new Map([[group.id, group]])

function written(steps: Generator<void, string>): string {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const site = { name: 'My gateway', domain: 'gateway.example.com', currency: 'CNY' }
export const feedExample: unknown = JSON.parse(
  encodeFeed(site, written(encodeEntries({ groups })), time),
)
export const plazaExample: unknown = JSON.parse(written(encodePlaza({ groups }, '')))

const counts = {
  ...{ ...emptyCounts(), succeeded: 998, failed: { upstream: 2 } },
  ...{ firstByte: [0, 0, 0, 400, 300, 150, 100, 48], outputTokens: 1_000, generationMs: 17_150 },
}
export const statusExample: unknown = JSON.parse(
  written(
    encodeStatus({
      groups,
      nowMs: time,
      figures: {
        counts: () => counts,
        models: () => [model],
        bars: (window) =>
          Array.from({ length: window === '24h' ? 24 : 90 }, (_, at) => ({
            ...{ requests: at * 10, failed: at % 8 === 7 ? 1 : 0 },
          })),
        hours: () => [],
        hoursFrom: time,
      },
    }),
  ),
)

const usageRaw = '{"prompt_tokens":1200,"completion_tokens":40,"total_tokens":1240}'
/** 1,200 tokens in, 40 out, of a model with two tiers. */
export const receiptExample = clientReceiptView({
  request: {
    ...{ id: 7, requestId: 'req_0123', createdAt: time, accountId: 1, tokenId: 1, groupId: 1 },
    ...{ account: 'kim@example.com', token: 'laptop', group: 'default', channel: 'main' },
    ...{ model: 'long-model', upstreamModel: 'long-model', channelId: 1, attemptCount: 1 },
    ...{ clientProtocol: 'chat', upstreamProtocol: 'chat', operation: 'completions' },
    ...{ stream: true, status: 200, cause: null, causeText: null, ending: 'complete' },
    ...{ inputTokens: 1_200, outputTokens: 40, reasoningTokens: 0, cacheReadTokens: 0 },
    ...{ cacheWriteTokens: 0, cacheWrite1hTokens: 0, calls: 1, usageRaw },
    ...{ estimated: false, clamped: false, priceId: 7, tierAbove: null },
    ...{ longContextPricing: true, multiplierMillionths: 800_000, amountNano: 1_520_000 },
    ...{ firstByteMs: 210, durationMs: 1_480 },
  },
  attempts: [
    {
      ...{ channel: 'main', channelId: 1, startedAt: time + 4, status: 200, cause: null },
      ...{ firstByteMs: 205, durationMs: 1_475, upstreamRequestId: null, usageRaw },
    },
  ],
  price: {
    ...{ id: 7, model: 'long-model', source: 'operator', note: '', validFrom: time },
    terms: {
      unit: 'tokens',
      base: { ...none, input: 1_250_000, output: 10_000_000 },
      tiers: [{ ...none, above: 200_000, input: 2_500_000, output: 15_000_000 }],
    },
  },
  ...{ ledgerId: 42, ledgerAmountNano: -1_520_000, balanceAfterNano: 97_312_000_000 },
})
