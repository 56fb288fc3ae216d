import type { Database } from 'bun:sqlite'
import type { Spent } from '../ports/records.ts'

interface Budget {
  readonly totalNano: number | null
  readonly dayNano: number | null
  readonly monthNano: number | null
}

export type BudgetRooms = ReturnType<typeof createBudgetRooms>

/** What the budgets of tokens leave within one transaction. For use with the write lock. */
export function createBudgetRooms(
  db: Database,
  spentOf: (tokenId: number) => Spent,
  leasedOf: (tokenId: number) => number,
) {
  const findBudget = db.prepare<Budget, [number]>(
    `SELECT budget_total_nano AS totalNano, budget_day_nano AS dayNano,
      budget_month_nano AS monthNano FROM token WHERE id = ?
      AND coalesce(budget_total_nano, budget_day_nano, budget_month_nano) IS NOT NULL`,
  )
  const sumReserved = db.prepare<{ nano: number }, [number]>(
    'SELECT coalesce(sum(amount_nano), 0) AS nano FROM reservation WHERE token_id = ?',
  )
  const rooms = new Map<number, number>()

  function roomOf(tokenId: number): number {
    const budget = findBudget.get(tokenId)
    if (budget === null) return Number.POSITIVE_INFINITY
    const spent = spentOf(tokenId)
    const left = (limit: number | null, nano: number) =>
      limit === null ? Number.POSITIVE_INFINITY : limit - nano
    return (
      Math.min(
        left(budget.totalNano, spent.totalNano),
        left(budget.dayNano, spent.dayNano),
        left(budget.monthNano, spent.monthNano),
      ) -
      (sumReserved.get(tokenId)?.nano ?? 0) -
      leasedOf(tokenId)
    )
  }

  return {
    has: (tokenId: number): boolean => findBudget.get(tokenId) !== null,
    /** In nano-USD; infinite without a budget. */
    of: (tokenId: number): number => rooms.getOrInsertComputed(tokenId, roomOf),
    take(tokenId: number, nano: number): void {
      const room = rooms.get(tokenId)
      if (room !== undefined) rooms.set(tokenId, room - nano)
    },
    /** Before the wishes and reservations of a transaction, when its settlements are written. */
    forget: (): void => rooms.clear(),
  }
}

/** Accounts whose last open request is forgotten, when there are so many. */
const mostKnown = 10_000

/** Which request of an account may cost more than it reserves: one at a time. */
export function createOpenRequests(db: Database) {
  const find = db.prepare<object, [string]>('SELECT 1 FROM reservation WHERE request_id = ?')
  const opened = new Map<number, string>()
  const isOpen = (requestId: string) => find.get(requestId) !== null
  return {
    isBusy(accountId: number): boolean {
      const known = opened.get(accountId)
      return known !== undefined && isOpen(known)
    },
    note(accountId: number, requestId: string): void {
      if (opened.size >= mostKnown)
        for (const [id, known] of opened) if (!isOpen(known)) opened.delete(id)
      opened.set(accountId, requestId)
    },
    /** The reservation goes on under another id. */
    move(accountId: number, from: string, to: string): void {
      if (opened.get(accountId) === from) opened.set(accountId, to)
    },
  }
}
