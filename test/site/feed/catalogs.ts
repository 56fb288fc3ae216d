import { buildCatalog, type Catalog } from '../../../src/catalog/catalog.ts'
import type {
  ChannelRow,
  GroupRow,
  PriceRow,
  PriceTerms,
} from '../../../src/store/ports/catalog.ts'
import { noLimits } from '../../support/no-limits.ts'

/** A model as a test sells it. */
export interface SoldModel {
  readonly id: string
  readonly terms: PriceTerms
  readonly note?: string
}

/** A group as a test has it; everything but the name has a default. */
export interface SoldGroup extends Partial<Omit<GroupRow, 'channels'>> {
  readonly name: string
  /** False: the group's one channel is off. */
  readonly hasChannel?: boolean
}

/** A real catalog in which every group sells every model (or those that it names). */
export function catalogOf(groups: readonly SoldGroup[], models: readonly SoldModel[]): Catalog {
  const offered = models.map(({ id }) => ({ id, upstream: id }))
  const channels = [channel(1, 'on', 'active', offered), channel(2, 'off', 'disabled', offered)]
  return buildCatalog(
    { channels, groups: groups.map(groupRow), prices: models.map(priceRow) },
    () => [],
    () => '',
  )
}

/** Token prices in micro-USD per 1M tokens; cache prices that are left out are not set. */
export function tokenTerms(
  input: number,
  output: number,
  cache: Partial<Record<'cacheRead' | 'cacheWrite' | 'cacheWrite1h', number>> = {},
): PriceTerms {
  const none = { cacheRead: null, cacheWrite: null, cacheWrite1h: null }
  return { unit: 'tokens', base: { input, output, ...none, ...cache }, tiers: [] }
}

function channel(
  id: number,
  name: string,
  status: ChannelRow['status'],
  models: ChannelRow['models'],
): ChannelRow {
  return {
    id,
    name,
    status,
    models,
    speaks: { chat: 'https://upstream.example.com/v1' },
    priority: 0,
    weight: 1,
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
    allowPrivate: false,
    quirks: [],
    limits: noLimits,
    proxySealed: null,
    probe: null,
    keysSealed: new Uint8Array(),
  }
}

function groupRow({ hasChannel = true, ...changes }: SoldGroup, at: number): GroupRow {
  return {
    id: at + 1,
    status: 'active',
    description: '',
    platform: 'openai',
    multiplierMillionths: 1_000_000,
    channels: [hasChannel ? 'on' : 'off'],
    models: [],
    longContextPricing: true,
    onDisconnect: 'bill_observed',
    accounts: null,
    tools: null,
    regions: null,
    limits: noLimits,
    ...changes,
  }
}

function priceRow({ id: model, terms, note = '' }: SoldModel, at: number): PriceRow {
  return { id: at + 1, model, terms, note, source: 'config', validFrom: 0 }
}

/** 100 groups × 100 models, with prices as vendors have them. */
export function largeCatalog(leastMultiplier = 300_000): Catalog {
  const groups = Array.from({ length: 100 }, (_, at) => ({
    name: `第${at}组【官转·稳定】`,
    multiplierMillionths: leastMultiplier + at * 17_500,
  }))
  const models = Array.from({ length: 100 }, (_, at) => {
    const input = (1 + (at % 40)) * 125_000
    const cache = { cacheRead: input / 10, cacheWrite: (input * 5) / 4, cacheWrite1h: input * 2 }
    return {
      id: `vendor-${at % 9}/model-${at}-instruct-2026-${10 + (at % 3)}-${10 + (at % 18)}`,
      terms: tokenTerms(input, input * (4 + (at % 5)), cache),
    }
  })
  return catalogOf(groups, models)
}
