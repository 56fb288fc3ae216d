import type { LeaseWish } from '../../leases/messages.ts'
import { eachPaid, type Purse, tokenOf } from '../../leases/purse.ts'
import type { Settlement } from '../ports/records.ts'

/**
 * What a batch says of leases, by purses: what each has paid, also 0: requests were under it. Then the wish for it: its
 * number, its change, whether it is owed. What is `stored` already is paid already.
 */
export function leaseColumns(
  settled: readonly Settlement[],
  wishes: readonly LeaseWish[],
  stored: ReadonlySet<string> | undefined,
): readonly (readonly (number | null)[])[] {
  const paid = new Map<Purse, number>()
  for (const one of settled) {
    const isPaid = stored?.has(one.request.requestId) ?? false
    eachPaid(one, (purse, nano) => paid.set(purse, (paid.get(purse) ?? 0) + (isPaid ? 0 : nano)))
  }
  if (paid.size === 0 && wishes.length === 0) return [none, none, none, none, none]
  const wished = new Map(wishes.map((wish) => [wish.purse, wish]))
  const purses = [...new Set([...paid.keys(), ...wished.keys()])]
  const column = (value: (wish: LeaseWish) => number) =>
    purses.map((purse) => {
      const wish = wished.get(purse)
      return wish === undefined ? null : value(wish)
    })
  return [
    purses,
    purses.map((purse) => paid.get(purse) ?? null),
    column(({ no }) => no),
    column(({ byNano }) => byNano),
    column(({ isOwed }) => Number(isOwed ?? false)),
  ]
}

const none: readonly number[] = []

/** Whose money is wished for. */
export function wishedOf(wishes: readonly LeaseWish[]) {
  const accountIds: number[] = []
  const tokenIds: number[] = []
  for (const { purse } of wishes) {
    const tokenId = tokenOf(purse)
    if (tokenId === undefined) accountIds.push(purse)
    else tokenIds.push(tokenId)
  }
  return { accountIds, tokenIds }
}
