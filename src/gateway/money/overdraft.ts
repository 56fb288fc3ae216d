import { LRUCache } from 'lru-cache'
import { overdrawnNano } from '../../billing/money.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { AdminStore } from '../../store/ports/admin.ts'
import type { Committed } from '../../store/ports/records.ts'
import type { AccountState, Authenticator } from '../admit/authenticate.ts'

interface OverdraftParts {
  readonly store: Pick<AdminStore, 'overdrawn'>
  readonly account: Authenticator['account']
  readonly tick: Clock
  readonly log: Logger
}

/** One warning per account and period, … */
const quietMs = 3_600_000
/** … for this many accounts. */
const mostRemembered = 10_000

/** Warns when charges take an account below its credit limit: a returning node charges late. */
export function createOverdraftWarning(parts: OverdraftParts) {
  const toldAt = new LRUCache<number, number>({ max: mostRemembered })
  const telling = new Set<Promise<void>>()

  /** The store knows the charges of other nodes, too. */
  async function tell(accountId: number): Promise<void> {
    try {
      const { accounts } = await parts.store.overdrawn({ accountId, atMost: 1 })
      const [account] = accounts
      if (account === undefined) return void toldAt.delete(accountId)
      parts.log.warn('account is overdrawn', {
        account: account.email,
        balance_nano: account.balanceNano,
        credit_limit_nano: account.creditLimitNano,
        overdrawn_nano: overdrawnNano(account),
        request_id: account.requestId,
      })
    } catch (error) {
      toldAt.delete(accountId)
      parts.log.warn('overdrawn account not checked', { error: String(error) })
    }
  }

  return {
    committed({ accounts }: Committed): void {
      for (const { accountId, balanceNano } of accounts) {
        if (balanceNano >= 0) continue
        const creditLimitNano = parts.account(accountId)?.creditLimitNano ?? 0
        if (overdrawnNano({ balanceNano, creditLimitNano }) === 0) continue
        const now = parts.tick()
        if (now - (toldAt.get(accountId) ?? Number.NEGATIVE_INFINITY) < quietMs) continue
        toldAt.set(accountId, now)
        const said = tell(accountId).finally(() => telling.delete(said))
        telling.add(said)
      }
    },
    async idle(): Promise<void> {
      await Promise.all(telling)
    },
  }
}

/** Logs when a charge takes a balance below its low-balance threshold. */
export function createLowBalanceWarning(log: Logger, usualThresholdNano: () => number) {
  return (account: AccountState, beforeNano: number): void => {
    const thresholdNano = account.balanceLowNano ?? usualThresholdNano()
    if (beforeNano < thresholdNano || account.balanceNano >= thresholdNano) return
    log.warn('balance is low', {
      account: account.email,
      balance_nano: account.balanceNano,
      threshold_nano: thresholdNano,
    })
  }
}
