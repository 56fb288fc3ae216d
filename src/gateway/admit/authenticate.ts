import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../lib/cache-options.ts'
import type { TokenRecord, TokenStore } from '../../store/ports/admin.ts'
import type { Limits, Regions } from '../../store/ports/catalog.ts'
import type { Committed, Spent } from '../../store/ports/records.ts'
import { GatewayError, unauthenticated } from '../errors.ts'
import { budgetLeft } from '../money/reservations.ts'
import { type AddressList, compileAddressList, isListed, isServed } from './client-address.ts'
import type { HttpCall } from './gatekeeper.ts'
import type { KnownKeys, UnknownKeyLimit } from './known-keys.ts'
import { shortName } from './plan.ts'

export interface AccountState {
  readonly id: number
  readonly email: string
  readonly isVouched: boolean
  readonly status: 'active' | 'disabled'
  readonly deletedAt: number | null
  balanceNano: number
  readonly creditLimitNano: number
  readonly balanceLowNano: number | null
  readonly limits: Limits
  readonly regions: Regions | null
}

interface SpendingState {
  spent: Spent
}

export interface Caller {
  readonly keyHash: string
  readonly token: TokenRecord
  readonly ipAllow: AddressList
  readonly models: ReadonlySet<string>
  readonly account: AccountState
  readonly spending: SpendingState | undefined
}

export type Authenticator = ReturnType<typeof createAuthenticator>

const cacheSize = 50_000

interface AuthenticatorParts {
  readonly tokens: Pick<TokenStore, 'findByHash'>
  readonly keyedHash: (key: string) => string
  readonly unknownKeys: UnknownKeyLimit
  readonly keys: Pick<KnownKeys, 'add' | 'changed'>
  readonly onBalance: (account: AccountState, beforeNano: number) => void
}

export function createAuthenticator(parts: AuthenticatorParts) {
  const { tokens, keyedHash, unknownKeys, keys, onBalance } = parts
  const callers = new LRUCache<string, Caller>(entryLimit(cacheSize))
  const accounts = new LRUCache<number, AccountState>(entryLimit(cacheSize))
  const spendings = new LRUCache<number, SpendingState>(entryLimit(cacheSize))
  let generation = 0

  async function load(hash: string, from?: string): Promise<Caller> {
    const started = generation
    if (from !== undefined && unknownKeys.isRefused(hash, from)) {
      await unknownKeys.delay()
      throw unauthenticated('unknown')
    }
    if (from !== undefined) unknownKeys.lookedUp(from)
    const token = await tokens.findByHash(hash)
    if (token === undefined) throw unauthenticated('unknown')
    if (from !== undefined) unknownKeys.found(from)
    const account = accounts.get(token.account.id) ?? { ...token.account }
    const spending = token.spent === null ? undefined : { spent: token.spent }
    const caller: Caller = {
      keyHash: hash,
      token,
      ipAllow: compileAddressList(token.ipAllow),
      models: new Set(token.models),
      account,
      spending,
    }
    if (started === generation) {
      if (spending) spendings.set(token.id, spending)
      accounts.set(account.id, account)
      callers.set(hash, caller)
    }
    return caller
  }

  const isCurrent = ({ token, spending }: Caller) =>
    spending === undefined || spendings.get(token.id) === spending

  const find = (hash: string, address?: () => string): Caller | Promise<Caller> => {
    const known = callers.get(hash)
    if (known && accounts.get(known.account.id) === known.account && isCurrent(known)) return known
    return load(hash, address?.())
  }

  return {
    identify: (key: string, address: () => string): Caller | Promise<Caller> =>
      find(keyedHash(key), address),
    /** The caller's present state: a request may take an hour. */
    current: (caller: Caller): Caller | Promise<Caller> => find(caller.keyHash),
    /** The caller as it is stored, in force here from now on: other processes may have changed it. */
    renewed({ keyHash, token, account }: Caller): Caller | Promise<Caller> {
      // Not `forgetToken`: whoever asks often must not keep others from being remembered.
      callers.delete(keyHash)
      spendings.delete(token.id)
      accounts.delete(account.id)
      return find(keyHash)
    },
    /** The cached account; undefined: it was not used recently. */
    account: (id: number): Readonly<AccountState> | undefined => accounts.peek(id),
    /** Applies the figures of a commit. */
    committed(committed: Committed): void {
      for (const { accountId, balanceNano } of committed.accounts) {
        const account = accounts.peek(accountId)
        if (account === undefined || account.balanceNano === balanceNano) continue
        const before = account.balanceNano
        account.balanceNano = balanceNano
        onBalance(account, before)
      }
      for (const { tokenId, spent } of committed.tokens) {
        const spending = spendings.peek(tokenId)
        if (spending) spending.spent = spent
      }
    },
    forgetToken(keyHash: string): void {
      generation++
      keys.add(keyHash)
      const caller = callers.peek(keyHash)
      callers.delete(keyHash)
      if (caller) spendings.delete(caller.token.id)
    },
    forget(): void {
      generation++
      keys.changed()
      callers.clear()
      accounts.clear()
      spendings.clear()
    },
  }
}

interface CallerCheck {
  readonly now: number
  readonly today: string
  readonly clientAddress: (call: HttpCall) => string
  readonly clientCountries: (call: HttpCall) => readonly string[]
  readonly groupRegions: Regions | null
  readonly needsBalance: boolean
}

/** The checks before the body is read, in a fixed order. Throws the first refusal. */
export function checkCaller(caller: Caller, call: HttpCall, check: CallerCheck): void {
  const { token, account } = caller
  if (token.deletedAt !== null || account.deletedAt !== null) throw unauthenticated('deleted')
  if (token.status === 'disabled') throw unauthenticated('disabled')
  if (account.status === 'disabled') {
    throw new GatewayError('account_restricted', 'This account is disabled. Ask its operator.')
  }
  if (caller.ipAllow.length > 0) {
    const address = check.clientAddress(call)
    if (!isListed(address, caller.ipAllow)) {
      throw new GatewayError(
        'ip_not_allowed',
        `This key may not be used from ${address}: the address is not on its IP allow-list.`,
      )
    }
  }
  checkRegions(account, call, check)
  if (token.expiresAt !== null && token.expiresAt <= check.now) {
    throw unauthenticated('expired')
  }
  if (!check.needsBalance) return
  if (account.balanceNano + account.creditLimitNano <= 0) throw unauthenticated('balance')
  if (budgetLeft(caller, check.today) <= 0) throw unauthenticated('budget')
}

function checkRegions({ regions }: AccountState, call: HttpCall, check: CallerCheck): void {
  const { groupRegions } = check
  if (regions === null && groupRegions === null) return
  const from = check.clientCountries(call)
  if (isServed(regions, from) && isServed(groupRegions, from)) return
  const whose = isServed(regions, from) ? "This key's group" : 'This account'
  throw new GatewayError(
    'region_restricted',
    from.length === 0
      ? `${whose} answers requests from some countries only, and where this one comes from is not known.`
      : `${whose} does not answer requests from ${shortName(from.join(', '))}.`,
  )
}
