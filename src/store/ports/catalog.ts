import type { ChannelValues } from '../../resources/channel.ts'
import type { GroupValues } from '../../resources/group.ts'
import type { ExtraPrices, ModalityRates } from './extras.ts'

export type ProtocolBases = { readonly [protocol: string]: string }

export interface ChannelModel {
  readonly id: string
  readonly upstream: string
}

/** Whether a channel is used. `draining`: only what has begun there is continued there. */
export type ChannelStatus = 'active' | 'draining' | 'disabled'

/** Requests and LLM tokens a minute, and requests at once; null: no limit. */
export interface Limits {
  readonly rpm: number | null
  readonly tpm: number | null
  readonly concurrency: number | null
}

export interface ChannelProbe {
  readonly everyMs: number
  /** As clients name it; null: the first of the channel's models. */
  readonly model: string | null
}

export interface ChannelSettings extends ChannelValues {
  readonly name: string
  readonly status: ChannelStatus
}

export interface ChannelRow extends ChannelSettings {
  readonly id: number
  /** The channel's keys: a sealed JSON array of strings. */
  readonly keysSealed: Uint8Array
  /** The address of the proxy that it is reached by, sealed: it may hold a password. Null: none. */
  readonly proxySealed: Uint8Array | null
}

export interface GroupSettings extends GroupValues {
  readonly name: string
}

export interface GroupRow extends GroupSettings {
  readonly id: number
}

/** Prices of one tier, in micro-USD per 1M tokens; null: not set, charged as `effectiveRates` says. */
export interface TokenRates {
  readonly input: number
  readonly output: number
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly cacheWrite1h: number | null
  /** Of LLM tokens that are no text. */
  readonly modalities?: ModalityRates
}

export type PriceTerms =
  | {
      readonly unit: 'tokens'
      readonly base: TokenRates
      /** Ascending by `above` (context tokens; exclusive). */
      readonly tiers: readonly (TokenRates & { readonly above: number })[]
      /** Tokens that the model can hold, where the operator has set it; no part of the price. */
      readonly contextWindow?: number
      readonly extras?: ExtraPrices
    }
  | { readonly unit: 'call'; readonly perCallNano: number; readonly extras?: ExtraPrices }
  /** Free on purpose. */
  | { readonly unit: 'free' }
  /** The price was removed: the model is not callable. */
  | { readonly unit: 'none' }

/** The source of a price; the vendor's list price yields to the others. */
export type PriceSource = 'config' | 'operator' | 'vendor'

export interface PriceSetting {
  readonly model: string
  readonly terms: PriceTerms
  readonly source: PriceSource
  /** The operator's remark, shown in the price feed; usually empty. */
  readonly note: string
}

/** A price as it holds from `validFrom` on. Rows are never overwritten. */
export interface PriceRow extends PriceSetting {
  readonly id: number
  readonly validFrom: number
}

/** All live rows, and of the prices those in force: what a catalog snapshot is built from. */
export interface CatalogRows {
  readonly channels: readonly ChannelRow[]
  readonly groups: readonly GroupRow[]
  readonly prices: readonly PriceRow[]
}

export interface CatalogStore {
  load(): Promise<CatalogRows>
  /** Every price that a model ever had, oldest first; of all models when none is named. */
  priceHistory(model?: string): Promise<readonly PriceRow[]>
  /** A sealed key of the oldest channel, else token: it identifies this database's secret. */
  oldestSealed(): Promise<Uint8Array | undefined>
}

/** Countries that are served, by their codes (ISO 3166-1 alpha-2): these alone, or all others. */
export type Regions = { readonly allow: readonly string[] } | { readonly deny: readonly string[] }
