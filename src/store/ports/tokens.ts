import type { TokenSettings } from '../../resources/token.ts'
import type { Limits, Regions } from './catalog.ts'
import type { Spent } from './records.ts'

/** What may be spent with a token, in nano-USD; null: no limit. */
export type TokenBudget = TokenSettings['budget']

/** What authentication needs of a token, read in one look-up and kept in memory by the gateway. */
export interface TokenRecord extends Omit<TokenSettings, 'group'> {
  readonly id: number
  readonly groupId: number
  readonly deletedAt: number | null
  /** What was spent so far; null for a token without a budget. */
  readonly spent: Spent | null
  readonly account: {
    readonly id: number
    readonly email: string
    /** Whether its address is known to be its owner's. */
    readonly isVouched: boolean
    readonly status: 'active' | 'disabled'
    readonly deletedAt: number | null
    readonly balanceNano: number
    readonly creditLimitNano: number
    readonly balanceLowNano: number | null
    readonly limits: Limits
    /** Countries that it may be used from; null: all. */
    readonly regions: Regions | null
  }
}

/** What is kept of a token's key. */
export interface TokenHash {
  readonly id: number
  readonly keyHash: string
}

/** Token look-up for the hot path. */
export interface TokenStore {
  /** By keyed hash of the key; deleted tokens are found too, so that the cause can be told. */
  findByHash(keyHash: string): Promise<TokenRecord | undefined>
  /** Hashes of the keys of all tokens behind this id, deleted ones too, by their ids; at most `limit`. */
  hashesAfter(id: number, limit: number): Promise<readonly TokenHash[]>
}
