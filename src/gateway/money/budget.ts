import type { Spent } from '../../store/ports/records.ts'
import type { Caller } from '../admit/authenticate.ts'

/** What the token's budget leaves on a UTC day, in nano-USD; infinite without one. */
export function budgetLeft({ token, spending }: Caller, today: string): number {
  const { totalNano, dayNano, monthNano } = token.budget
  if (spending === undefined) return Number.POSITIVE_INFINITY
  const spent = spentOn(spending.spent, today)
  return Math.min(
    totalNano === null ? Number.POSITIVE_INFINITY : totalNano - spent.totalNano,
    dayNano === null ? Number.POSITIVE_INFINITY : dayNano - spent.dayNano,
    monthNano === null ? Number.POSITIVE_INFINITY : monthNano - spent.monthNano,
  )
}

/** What was spent as of `today`: a new day, or month, begins at nothing. */
export function spentOn(spent: Spent, today: string): Spent {
  if (spent.day === today) return spent
  const isSameMonth = spent.day.slice(0, 7) === today.slice(0, 7)
  return { ...spent, day: today, dayNano: 0, monthNano: isSameMonth ? spent.monthNano : 0 }
}
