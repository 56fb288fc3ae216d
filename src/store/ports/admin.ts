import type {
  AccountSettings,
  accountFields,
  SomeAccountSettings,
} from '../../resources/account.ts'
import type { FileValues } from '../../resources/resource.ts'
import type { SomeTokenSettings, TokenSettings } from '../../resources/token.ts'
import type { ChannelSettings, GroupSettings, PriceSetting } from './catalog.ts'
import type { LedgerEntry, Spent, TokenSpending } from './records.ts'

/** A channel as it is to be; `keysSealed` or `proxySealed` absent: keep what it has. */
export interface ChannelWrite extends ChannelSettings {
  readonly keysSealed?: Uint8Array
  readonly proxySealed?: Uint8Array | null
}

/** An account as it is to be; what is absent stays, or is as it is at first. */
export interface AccountWrite extends FileValues<typeof accountFields> {
  readonly email: string
  /** Opening balance: used when the account is created, ignored ever after. */
  readonly openingNano: number
  /** Absent: keep. `mark`: hash of the configured password; without `hash` the password stays. */
  readonly password?: { readonly hash?: string; readonly mark: string }
}

export interface TokenWrite extends TokenSettings {
  readonly account: string
  /** Keyed hash of the key: the token's identity. */
  readonly keyHash: string
  readonly keySealed: Uint8Array
  /** What lists show: `sk-ab…wxyz`. */
  readonly keyHint: string
}

export interface PriceWrite extends PriceSetting {
  /** Id of the price that must still be in force (null: none), else nothing is written. */
  readonly replaces?: number | null
}

/** Changes in one transaction: first what is written, by name, then what is removed (marked). */
export interface Writes {
  readonly channels?: readonly ChannelWrite[]
  readonly groups?: readonly GroupSettings[]
  readonly prices?: readonly PriceWrite[]
  readonly accounts?: readonly AccountWrite[]
  readonly tokens?: readonly TokenWrite[]
  readonly remove?: {
    readonly channels?: readonly string[]
    readonly groups?: readonly string[]
    readonly prices?: readonly string[]
    readonly accounts?: readonly string[]
    readonly tokenIds?: readonly number[]
  }
}

/** Why a change was refused; nothing was changed then. */
export class WriteRefused extends Error {
  override readonly name: string = 'WriteRefused'
}

export class WouldOverdraw extends WriteRefused {
  override readonly name = 'WouldOverdraw'
}

export interface AccountView extends AccountSettings {
  readonly id: number
  readonly email: string
  /** Whether its address is known to be its owner's: it did not just register itself. */
  readonly isVouched: boolean
  readonly balanceNano: number
  readonly reservedNano: number
  readonly tokenCount: number
  readonly passwordMark: string | null
  readonly createdAt: number
}

export interface TokenView extends TokenWrite {
  readonly id: number
  readonly createdAt: number
}

export type StoredAccount = Omit<AccountView, 'tokenCount'>

export interface Adjustment {
  readonly account: string
  readonly kind: 'credit' | 'debit'
  /** Above 0; a debit takes it. */
  readonly amountNano: number
  readonly reason: string
  /** Idempotency key: the balance changes once for each key; null: no key. */
  readonly idempotencyKey: string | null
  /** The actor: an e-mail, or `command line`. */
  readonly actor: string
  /** False: a debit that takes the balance below minus the credit limit throws `WouldOverdraw`. */
  readonly mayOverdraw?: boolean
}

export interface Adjusted {
  readonly ledgerId: number
  readonly balanceNano: number
  /** True when the key was used before: nothing was changed, this is what it did then. */
  readonly isRepeat: boolean
}

/** What may be changed of an account: absent fields stay as they are. */
export interface AccountFields extends SomeAccountSettings {
  /** True: its address is its owner's. An administrator's always is. */
  readonly isVouched?: true
}

export interface AccountChange extends Omit<AccountFields, 'status'> {
  readonly account: string
  readonly actor: string
}

export interface AuditEntry {
  readonly id: number
  readonly createdAt: number
  readonly actor: string
  /** `account.credit`, `token.set` … */
  readonly action: string
  /** The account's e-mail, or `token 3`. */
  readonly subject: string
  readonly detail: { readonly [name: string]: unknown }
}

/** Which tokens to list; all given conditions must hold. Newest last. */
export interface TokenFilter {
  readonly account?: string
  readonly group?: string
  readonly id?: number
  readonly keyHashes?: readonly string[]
  readonly name?: string
  /** Page: rows with a larger id, at most `limit` (default 1,000). */
  readonly afterId?: number
  readonly limit?: number
}

export interface AdminStore {
  /** `by` is the actor for the audit. Throws `WriteRefused` with the name at fault. */
  write(writes: Writes, by?: { readonly actor: string }): Promise<void>
  /**
   * Credits or debits an account, with its ledger entry and audit row. Throws `WouldOverdraw`, and
   * `WriteRefused`: unknown account, a key that was used for something else, a balance out of range.
   */
  adjust(adjustment: Adjustment): Promise<Adjusted>
  /** With an audit row, unless nothing differs. Throws `WriteRefused`: unknown account. */
  changeAccount(change: AccountChange): Promise<void>
  /** The same of a token; throws `WriteRefused` when it is not there. */
  changeToken(
    change: SomeTokenSettings & { readonly id: number; readonly actor: string },
  ): Promise<void>
  /** The newest changes by hand, newest last. */
  audit(limit: number): Promise<readonly AuditEntry[]>
  /** The newest entries of a live account, newest last. */
  ledger(account: string, limit: number): Promise<readonly LedgerEntry[]>
  /** What was spent with tokens by now. From daily sums. */
  spending(tokenIds: readonly number[]): Promise<readonly TokenSpending[]>
  accounts(): Promise<readonly AccountView[]>
  /** Those of the live accounts that have these e-mails, oldest first. Counts no tokens. */
  accountsNamed(emails: readonly string[]): Promise<readonly StoredAccount[]>
  /** The same, without regard to case. */
  accountsAt(addresses: readonly string[]): Promise<readonly StoredAccount[]>
  account(email: string): Promise<AccountView | undefined>
  tokens(filter: TokenFilter): Promise<readonly TokenView[]>
  /** Live accounts that owe more than their credit limits allow, those that owe most first. */
  overdrawn(filter: OverdrawnFilter): Promise<Overdrawn>
  /** How many live accounts and tokens there are; counts no further than `atMost` of each. */
  counts(atMost: number): Promise<{ readonly accounts: number; readonly tokens: number }>
}

export interface OverdrawnFilter {
  readonly accountId?: number
  readonly atMost: number
}

export interface OverdrawnAccount
  extends Pick<StoredAccount, 'id' | 'email' | 'balanceNano' | 'creditLimitNano'> {
  /** The request whose charge took it there; null: it was no charge, or is long ago. */
  readonly requestId: string | null
}

export interface Overdrawn {
  readonly count: number
  readonly accounts: readonly OverdrawnAccount[]
}

/** What authentication needs of a token, read in one look-up and kept in memory by the gateway. */
export interface TokenRecord extends Omit<TokenSettings, 'group'> {
  readonly id: number
  readonly groupId: number
  readonly deletedAt: number | null
  /** What was spent so far; null for a token without a budget. */
  readonly spent: Spent | null
  readonly account: Pick<StoredAccount, 'id' | 'email' | 'isVouched' | 'status' | 'limits'> &
    Pick<StoredAccount, 'balanceNano' | 'creditLimitNano' | 'balanceLowNano' | 'regions'> & {
      readonly deletedAt: number | null
    }
}

export interface TokenHash {
  readonly id: number
  readonly keyHash: string
}

export interface TokenStore {
  /** By keyed hash of the key; finds deleted tokens too, so that errors can name the cause. */
  findByHash(keyHash: string): Promise<TokenRecord | undefined>
  /** Hashes of the keys of all tokens behind this id, deleted ones too, by their ids; at most `limit`. */
  hashesAfter(id: number, limit: number): Promise<readonly TokenHash[]>
}
