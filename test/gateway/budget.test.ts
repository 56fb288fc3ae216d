import { describe, expect, test } from 'bun:test'
import type { Caller } from '../../src/gateway/admit/authenticate.ts'
import { budgetLeft, spentOn } from '../../src/gateway/money/reservations.ts'
import type { TokenSettings } from '../../src/resources/token.ts'
import type { Spent } from '../../src/store/ports/records.ts'

type TokenBudget = TokenSettings['budget']

const none: TokenBudget = { totalNano: null, dayNano: null, monthNano: null }
const spent: Spent = { totalNano: 900, monthNano: 300, dayNano: 100, day: '2026-11-21' }
/** Only the parts of a caller that budgets look at. */
const caller = (budget: Partial<TokenBudget>, isTold = true) =>
  ({
    token: { budget: { ...none, ...budget } },
    spending: isTold ? { spent } : undefined,
  }) as unknown as Caller

describe('what a budget leaves', () => {
  test.each([
    ['in all', { totalNano: 1_000 }, 100],
    ['of the day', { dayNano: 150 }, 50],
    ['of the month', { monthNano: 350 }, 50],
    ['the smallest counts: total', { totalNano: 910, dayNano: 200, monthNano: 400 }, 10],
    ['the smallest counts: day', { totalNano: 1_000, dayNano: 120, monthNano: 400 }, 20],
    ['the smallest counts: month', { totalNano: 1_000, dayNano: 200, monthNano: 330 }, 30],
    ['nothing at its end', { totalNano: 900 }, 0],
    ['less than nothing beyond it', { totalNano: 850 }, -50],
    ['nothing ever, when it is 0', { dayNano: 0 }, -100],
  ])('%s', (_, budget, left) => {
    expect(budgetLeft(caller(budget), '2026-11-21')).toBe(left)
  })

  test('without one there is no end', () => {
    expect(budgetLeft(caller({}, false), '2026-11-21')).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('what was spent as of a day', () => {
  test.each([
    ['the same', '2026-11-21', 900, 300, 100],
    ['the next', '2026-11-22', 900, 300, 0],
    ['the last of the month', '2026-11-30', 900, 300, 0],
    ['the first of the next month', '2026-12-01', 900, 0, 0],
    ['the same day of the next month', '2026-12-21', 900, 0, 0],
    ['the same day of the next year', '2027-11-21', 900, 0, 0],
    ['a day earlier, by a clock set back', '2026-11-20', 900, 300, 0],
    ['a month earlier, by a clock set back', '2026-10-21', 900, 0, 0],
  ])('%s', (_, today, totalNano, monthNano, dayNano) => {
    expect(spentOn(spent, today)).toEqual({ totalNano, monthNano, dayNano, day: today })
  })
})
