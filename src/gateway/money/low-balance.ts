import type { Logger } from '../../lib/log.ts'
import type { AccountState } from '../admit/authenticate.ts'

/** Says in the log when a charge takes a balance below what counts as low for it. */
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
