/**
 * By how much an account owes more than its credit limit allows, in nano-USD; 0: it does not. An answer
 * that turned out dearer than its bound takes it there, or a charge that was stored late.
 */
export const overdrawnNano = ({
  balanceNano,
  creditLimitNano,
}: {
  readonly balanceNano: number
  readonly creditLimitNano: number
}): number => Math.max(0, -(balanceNano + creditLimitNano))
