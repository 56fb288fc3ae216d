import { charge } from '../../src/billing/charge.ts'
import type { Usage } from '../../src/protocols/canonical/usage.ts'
import { emptyUsage } from '../../src/protocols/canonical/usage.ts'
import { initialValues } from '../../src/resources/resource.ts'
import { tokenFields } from '../../src/resources/token.ts'
import type { PriceTerms, TokenRates } from '../../src/store/ports/catalog.ts'
import type { AttemptRow, Ending, RequestRow, Settlement } from '../../src/store/ports/records.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { wireUsage } from './made-usage.ts'
import { noLimits } from './no-limits.ts'
import { createRandom, type Random } from './random.ts'

// Requests of every kind, made up but consistent, the same ones for the same seed.

/** Where made-up time begins. */
export const madeStart = Date.parse('2026-10-01T00:00:00Z')
/** A million requests a month. */
const usualStepMs = 2_600

export const madeAccounts = 200
const usualTokensPerAccount = 5
const openingNano = 1_000_000_000_000
const dayMs = 86_400_000

/** How much there is to be made, and from when on. */
export interface MadeSize {
  readonly start: number
  readonly stepMs: number
  readonly accounts: number
  readonly tokensPerAccount: number
  /** Beside those of every kind. */
  readonly moreModels: number
  /** 1: all tokens are used alike; 3: a few make most of the requests, as people do. */
  readonly skew: number
}

const usualSize: MadeSize = {
  start: madeStart,
  stepMs: usualStepMs,
  accounts: madeAccounts,
  tokensPerAccount: usualTokensPerAccount,
  moreModels: 0,
  skew: 1,
}

interface Model {
  readonly name: string
  readonly protocol: 'chat' | 'responses' | 'messages' | 'gemini'
  readonly operation: string
  readonly unit: PriceTerms['unit']
}

const usualModels: readonly Model[] = [
  { name: 'gpt-large', protocol: 'chat', operation: 'completions', unit: 'tokens' },
  { name: 'gpt-small', protocol: 'responses', operation: 'responses', unit: 'tokens' },
  { name: 'opus', protocol: 'messages', operation: 'messages', unit: 'tokens' },
  { name: 'pro', protocol: 'gemini', operation: 'generate', unit: 'tokens' },
  { name: 'embedder', protocol: 'chat', operation: 'embeddings', unit: 'tokens' },
  { name: 'painter', protocol: 'chat', operation: 'images.generations', unit: 'call' },
  { name: 'house', protocol: 'chat', operation: 'completions', unit: 'free' },
]

/** Models of every kind, and so many more of the kinds that are paid by tokens. */
function modelsOf({ moreModels }: MadeSize): readonly Model[] {
  const more = Array.from({ length: moreModels }, (_, at) => ({
    ...(usualModels[at % 4] as Model),
    name: `model-${at + 1}`,
  }))
  return [...usualModels, ...more]
}

const groups = [
  { name: 'default', multiplierMillionths: 800_000, longContextPricing: true },
  { name: '默认【官转·稳定】', multiplierMillionths: 1_234_567, longContextPricing: true },
  { name: 'flat', multiplierMillionths: 1_000_000, longContextPricing: false },
] as const

interface MadePrice {
  readonly id: number
  readonly terms: PriceTerms
  readonly validFrom: number
}

function ratesOf(base: number): TokenRates {
  return {
    input: base,
    output: base * 5 + 1,
    cacheRead: Math.round(base / 10),
    cacheWrite: base % 2 === 0 ? Math.round(base * 1.25) : null,
    cacheWrite1h: base % 3 === 0 ? base * 2 : null,
  }
}

function termsOf({ unit }: Model, at: number, change: number): PriceTerms {
  if (unit === 'call') return { unit, perCallNano: 40_000_000 + change * 1_000_000 }
  if (unit !== 'tokens') return { unit: 'free' }
  const base = 250_000 * (at + 1) + change * 12_345
  const tiers = at % 2 === 0 ? [{ above: 200_000, ...ratesOf(base * 2) }] : []
  return { unit, base: ratesOf(base), tiers }
}

/** Channels, groups, accounts and tokens, and prices that change twice in the course of time. */
export async function makeWorld(
  store: Pick<Store, 'admin'>,
  setClock: (ms: number) => void,
  wanted: Partial<MadeSize> = {},
): Promise<void> {
  const size = { ...usualSize, ...wanted }
  const models = modelsOf(size)
  setClock(size.start - dayMs)
  const channel = {
    status: 'active',
    speaks: { chat: 'https://upstream.example/v1' },
    models: models.map(({ name }) => ({ id: name, upstream: name })),
    priority: 0,
    weight: 1,
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
    allowPrivate: false,
    quirks: [],
    limits: noLimits,
    probe: null,
    keysSealed: Uint8Array.of(1),
  } as const
  const group = {
    status: 'active',
    description: '',
    platform: 'openai',
    channels: ['first', 'second'],
    models: [],
    onDisconnect: 'bill_observed',
    accounts: null,
    tools: null,
    regions: null,
    limits: noLimits,
  } as const
  const emails = Array.from({ length: size.accounts }, (_, at) => `account-${at + 1}@example.com`)
  await store.admin.write({
    channels: [
      { ...channel, name: 'first' },
      { ...channel, name: 'second' },
    ],
    groups: groups.map((one) => ({ ...group, ...one })),
    accounts: emails.map((email) => ({ email, role: 'user', status: 'active', openingNano })),
    tokens: emails.flatMap((account, at) =>
      Array.from({ length: size.tokensPerAccount }, (_, nth) => ({
        ...initialValues(tokenFields),
        account,
        name: `token-${nth}`,
        keyHash: `hash-${at}-${nth}`,
        keySealed: Uint8Array.of(1),
        keyHint: 'sk-…',
        group: groups[at % groups.length]?.name ?? '',
      })),
    ),
  })
  for (const { validFrom, changed } of priceChanges(models, size.start)) {
    setClock(validFrom)
    await store.admin.write({
      prices: changed.map(({ model, terms }) => ({ model, terms, source: 'config', note: '' })),
    })
  }
}

function priceChanges(models: readonly Model[], start: number) {
  return [0, 1, 2].map((change) => ({
    validFrom: start - dayMs + change * 4 * dayMs,
    changed: models.map((model, at) => ({ model: model.name, terms: termsOf(model, at, change) })),
  }))
}

/** Prices by model, oldest first, with the ids that `makeWorld` gave them. */
function madePrices(models: readonly Model[], start: number): Map<string, MadePrice[]> {
  const prices = new Map<string, MadePrice[]>()
  let id = 0
  const known = new Map<string, string>()
  for (const { validFrom, changed } of priceChanges(models, start)) {
    for (const { model, terms } of changed) {
      const text = JSON.stringify(terms)
      if (known.get(model) === text) continue
      known.set(model, text)
      prices.set(model, [...(prices.get(model) ?? []), { id: ++id, terms, validFrom }])
    }
  }
  return prices
}

/** Settlements in the order in which they end; ids and times ascend as those of a gateway do. */
export function* makeSettlements(
  count: number,
  wanted: Partial<MadeSize> = {},
): Generator<Settlement> {
  const size = { ...usualSize, ...wanted }
  const random = createRandom(1)
  const models = modelsOf(size)
  const world = { size, models, random, prices: madePrices(models, size.start) }
  for (let at = 0; at < count; at++) {
    const createdAt = size.start + Math.floor((at + random()) * size.stepMs)
    yield makeSettlement(at, createdAt, world)
  }
}

interface World {
  readonly size: MadeSize
  readonly models: readonly Model[]
  readonly random: Random
  readonly prices: ReadonlyMap<string, readonly MadePrice[]>
}

interface Fate {
  readonly ending: Ending
  readonly status: number
  readonly cause: string | null
}

/** How requests end, with their share of all. */
const fates: readonly (Fate & { readonly share: number })[] = [
  { share: 0.83, ending: 'complete', status: 200, cause: null },
  { share: 0.04, ending: 'incomplete', status: 200, cause: null },
  { share: 0.03, ending: 'client_left', status: 200, cause: 'client_left' },
  { share: 0.02, ending: 'cut', status: 200, cause: 'upstream_error' },
  { share: 0.01, ending: 'shutdown', status: 200, cause: 'shutdown' },
  { share: 0.02, ending: 'failed', status: 502, cause: 'upstream_error' },
  { share: 0.01, ending: 'interrupted', status: 500, cause: 'interrupted' },
  { share: 0.04, ending: 'refused', status: 404, cause: 'model_not_found' },
]

function pickFate(random: Random): Fate {
  let draw = random()
  for (const fate of fates) {
    draw -= fate.share
    if (draw < 0) return fate
  }
  return fates[0] as Fate
}

const unused = new Set<Ending>(['failed', 'interrupted', 'refused'])

function makeSettlement(
  at: number,
  createdAt: number,
  { size, models, random, prices }: World,
): Settlement {
  const { accounts, tokensPerAccount, skew } = size
  const model = models[Math.floor(random() ** 2 * models.length)] as Model
  const tokenId = 1 + Math.floor(random() ** skew * accounts * tokensPerAccount)
  const accountAt = Math.floor((tokenId - 1) / tokensPerAccount)
  const groupId = 1 + (accountAt % groups.length)
  const group = groups[groupId - 1] as (typeof groups)[number]
  const fate = pickFate(random)
  const isKnown = fate.ending !== 'refused'
  const price = isKnown
    ? prices.get(model.name)?.findLast(({ validFrom }) => validFrom <= createdAt)
    : undefined
  const used = unused.has(fate.ending) ? nothing : makeUsed(model, random)
  const charged = price && charge({ terms: price.terms, ...used, ...group })
  const { ending, status, cause } = fate
  const request: RequestRow = {
    requestId: requestIdOf(createdAt, at),
    createdAt,
    accountId: accountAt + 1,
    tokenId,
    groupId,
    model: isKnown ? model.name : `nobody-has-${at % 1000}`,
    upstreamModel: isKnown ? model.name : null,
    channelId: isKnown ? 1 : null,
    clientProtocol: model.protocol,
    upstreamProtocol: isKnown ? model.protocol : null,
    operation: model.operation,
    stream: random() < 0.7,
    ...{ status, cause, ending },
    causeText: cause === null ? null : 'What went wrong, in a sentence.',
    ...used.usage,
    calls: used.calls,
    estimated: used.estimated,
    clamped: used.clamped,
    usageRaw: used.usageRaw,
    priceId: price?.id ?? null,
    tierAbove: charged?.tierAbove ?? null,
    longContextPricing: isKnown ? group.longContextPricing : true,
    multiplierMillionths: isKnown ? group.multiplierMillionths : 1_000_000,
    amountNano: charged?.amountNano ?? 0,
    firstByteMs: ending === 'complete' ? 200 : null,
    durationMs: Math.floor(random() * 20_000),
  }
  return { request, attempts: makeAttempts(request, random) }
}

/** A version 7 UUID as the gateway makes them, of a time and a number. */
function requestIdOf(createdAt: number, at: number): string {
  const time = createdAt.toString(16).padStart(12, '0')
  return `req_${time}7${(at % 4096).toString(16).padStart(3, '0')}${at.toString(16).padStart(16, '8')}`
}

interface Used {
  readonly usage: Usage
  readonly calls: number
  readonly estimated: boolean
  readonly clamped: boolean
  readonly usageRaw: string | null
}

const nothing: Used = {
  usage: emptyUsage,
  calls: 0,
  estimated: false,
  clamped: false,
  usageRaw: null,
}

function makeUsed(model: Model, random: Random): Used {
  if (model.unit === 'call') return { ...nothing, calls: 1 + Math.floor(random() * 4) }
  const { usage, raw } = wireUsage(model.protocol, model.operation, random)
  const fact = random()
  if (fact < 0.05) return { ...nothing, usage, calls: 1, estimated: true }
  if (fact < 0.055) {
    const clampedUsage = { ...usage, inputTokens: Math.floor(usage.inputTokens / 2) }
    return { usage: clampedUsage, calls: 1, estimated: false, clamped: true, usageRaw: raw }
  }
  return { usage, calls: 1, estimated: false, clamped: false, usageRaw: raw }
}

function makeAttempts(request: RequestRow, random: Random): AttemptRow[] {
  const { ending, createdAt, durationMs, usageRaw } = request
  if (ending === 'refused' || ending === 'interrupted') return []
  const failed = random() < 0.05 ? 1 + Math.floor(random() * 3) : 0
  return Array.from({ length: failed + 1 }, (_, at) => ({
    channelId: 1 + (at % 2),
    startedAt: createdAt + at,
    status: at < failed ? 503 : 200,
    cause: at < failed ? 'upstream_error' : null,
    firstByteMs: 150,
    durationMs,
    upstreamRequestId: `chatcmpl-${request.requestId.slice(4, 28)}`,
    usageRaw: at < failed ? null : usageRaw,
  }))
}
