import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import type { AccountFigures } from '../store/ports/records.ts'
import type { TokenRecord, TokenStore } from '../store/ports/tokens.ts'
import { type AddressList, compileAddressList, isListed } from './client-address.ts'
import { GatewayError, unauthenticated } from './errors.ts'

/** The one live view of an account that all its tokens share. */
interface AccountState {
  readonly id: number
  readonly email: string
  readonly status: 'active' | 'disabled'
  readonly deletedAt: number | null
  balanceNano: number
}

/** Who calls: a token that is known, with its account's present balance. */
export interface Caller {
  readonly token: TokenRecord
  readonly ipAllow: AddressList
  readonly models: ReadonlySet<string>
  readonly account: AccountState
}

export interface Authenticator {
  /** The token behind a key; throws the 401 of an unknown one. */
  identify(key: string): Caller | Promise<Caller>
  /** Puts the balances of a committed settlement in force. */
  settled(balances: readonly AccountFigures[]): void
  /** Forgets everything: the database was changed elsewhere. */
  forget(): void
}

/** How many tokens and accounts are kept in memory; the store has them all. */
const cacheSize = 50_000

export function createAuthenticator(
  tokens: TokenStore,
  keyedHash: (key: string) => string,
): Authenticator {
  const callers = new LRUCache<string, Caller>({ max: cacheSize })
  const accounts = new LRUCache<number, AccountState>({ max: cacheSize })
  let generation = 0

  async function load(hash: string): Promise<Caller> {
    const started = generation
    const token = await tokens.findByHash(hash)
    if (token === undefined) throw unauthenticated('unknown')
    const account = accounts.get(token.account.id) ?? { ...token.account }
    const caller: Caller = {
      token,
      ipAllow: compileAddressList(token.ipAllow),
      models: new Set(token.models),
      account,
    }
    if (started === generation) {
      accounts.set(account.id, account)
      callers.set(hash, caller)
    }
    return caller
  }

  return {
    identify(key) {
      const hash = keyedHash(key)
      const known = callers.get(hash)
      // A caller whose account was evicted would keep a balance that nobody updates.
      if (known && accounts.get(known.account.id) === known.account) return known
      return load(hash)
    },
    settled(balances) {
      for (const { accountId, balanceNano } of balances) {
        const account = accounts.peek(accountId)
        if (account) account.balanceNano = balanceNano
      }
    },
    forget() {
      generation++
      callers.clear()
      accounts.clear()
    },
  }
}

interface Admission {
  readonly clock: Clock
  /** Asked only when the token has an allow-list: looking it up costs. */
  readonly clientAddress: () => string
  readonly needsBalance: boolean
}

/** The checks that come before the body is read, in CONTRACT 1.3's order. Throws the first refusal. */
export function checkCaller(caller: Caller, admission: Admission): void {
  const { token, account } = caller
  if (token.deletedAt !== null || account.deletedAt !== null) throw unauthenticated('deleted')
  if (token.status === 'disabled') throw unauthenticated('disabled')
  if (account.status === 'disabled') {
    throw new GatewayError('account_restricted', 'This account is disabled. Ask its operator.')
  }
  if (caller.ipAllow.length > 0) {
    const address = admission.clientAddress()
    if (!isListed(address, caller.ipAllow)) {
      throw new GatewayError(
        'ip_not_allowed',
        `This key may not be used from ${address}: the address is not on its IP allow-list.`,
      )
    }
  }
  if (token.expiresAt !== null && token.expiresAt <= admission.clock()) {
    throw unauthenticated('expired')
  }
  if (admission.needsBalance && account.balanceNano <= 0) throw unauthenticated('balance')
}
