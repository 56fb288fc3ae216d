/** The money that one lease is of: an account's, or the budget of a token. */
export type Purse = number

// Ids begin at 1, so one number can be of both. `store/schema/lease.ts` says the same in SQL.

export const purseOfAccount = (accountId: number): Purse => accountId
export const purseOfBudget = (tokenId: number): Purse => -tokenId

/** The token whose budget the purse is; undefined: the purse is an account's. */
export const tokenOf = (purse: Purse): number | undefined => (purse < 0 ? -purse : undefined)

/** Who spends. */
interface Spender {
  readonly accountId: number
  readonly tokenId: number
}

/** The purse that was too little for a request. */
export const shortPurse = ({ accountId, tokenId }: Spender, limit: 'balance' | 'budget'): Purse =>
  limit === 'budget' ? purseOfBudget(tokenId) : purseOfAccount(accountId)

interface Paid {
  readonly request: Spender
  readonly leasedNano?: number
  readonly budgetLeasedNano?: number
}

/** Calls `pay` for each lease that a settled request was under, with what it pays: 0 is possible. */
export function eachPaid(
  { request, leasedNano, budgetLeasedNano }: Paid,
  pay: (purse: Purse, nano: number) => void,
): void {
  if (leasedNano !== undefined) pay(purseOfAccount(request.accountId), leasedNano)
  if (budgetLeasedNano !== undefined) pay(purseOfBudget(request.tokenId), budgetLeasedNano)
}
