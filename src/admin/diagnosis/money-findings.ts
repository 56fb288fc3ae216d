import { utcDay } from '../../lib/clock.ts'
import type { Spent } from '../../store/ports/records.ts'
import type { Facts } from './facts.ts'
import { type Finding, usd } from './findings.ts'
import type { Params } from './open-step.ts'
import type { NoteWord, WayWord } from './schema.ts'

interface Note {
  readonly word: NoteWord
  readonly params: Params
}

/** What of money refused the request, what would refuse it now, and what else is known of it. */
export interface MoneyFindings {
  readonly past: readonly Finding[]
  readonly present: readonly Finding[]
  readonly notes: readonly Note[]
}

/** Causes that are a matter of the balance, and those of the token's budget. */
const ofBalance: ReadonlySet<string | null> = new Set(['balance', 'balance_used_up'])
const ofBudget: ReadonlySet<string | null> = new Set(['budget', 'balance_used_up'])

/** The request was judged by what its row says; without that by the books, as far as they go back. */
export function checkMoney(facts: Facts): MoneyFindings {
  const { request, state, account, balanceThenNano, creditThenNano } = facts
  const neededNano = state.money?.neededNano ?? null
  const leastNano = Math.max(neededNano ?? 1, 1)
  const budgets = budgetsOf(facts)
  const nowNano = account?.balanceNano
  const before = state.money?.balanceNano ?? balanceThenNano
  const credit = state.money?.creditLimitNano ?? creditThenNano ?? 0
  const wasShort = ofBalance.has(request.cause) && before !== undefined
  const past = wasShort ? balanceFinding(before - request.amountNano, credit, leastNano) : []
  const present = account
    ? balanceFinding(account.balanceNano, account.creditLimitNano, wasShort ? leastNano : 1)
    : []
  const notes: Note[] = []
  if (nowNano !== undefined && present.length === 0) {
    notes.push({ word: 'balance_now', params: { balance_usd: usd(nowNano) } })
  }
  if (before !== undefined) {
    notes.push({ word: 'balance_then', params: { balance_usd: usd(before) } })
  }
  if (neededNano !== null) {
    notes.push({ word: 'needed_then', params: { needed_usd: usd(neededNano) } })
  }
  return {
    past: [...budgets.past, ...past],
    present: [...budgets.present, ...present],
    notes: [...budgets.notes, ...notes],
  }
}

const balanceFinding = (balanceNano: number, creditNano: number, neededNano: number): Finding[] =>
  balanceNano + creditNano >= neededNano
    ? []
    : [
        {
          word: 'balance_used_up',
          params: { balance_usd: usd(balanceNano) },
          way: 'add_balance',
        },
      ]

function budgetsOf(facts: Facts): MoneyFindings {
  const { request, state, token, spending, now, createdAt } = facts
  if (token === undefined) return { past: [], present: [], notes: [] }
  const { name } = token
  const limits = spending ? limitsOf(name, token.budget, spentOn(spending.spent, utcDay(now))) : []
  const { budget, spent, neededNano } = state.money ?? {}
  const wasShort = ofBudget.has(request.cause)
  const leastNano = Math.max((wasShort && neededNano) || 1, 1)
  const reached = limits.filter(({ leftNano }) => leftNano < leastNano)
  const notes = limits.filter(({ leftNano }) => leftNano >= leastNano)
  const past =
    budget && spent
      ? limitsOf(name, budget, spentOn(spent, utcDay(createdAt))).filter(
          ({ leftNano }) => leftNano - request.amountNano < leastNano,
        )
      : reached
  return { past: wasShort ? past : [], present: reached, notes }
}

type Budget = Readonly<Record<'totalNano' | 'dayNano' | 'monthNano', number | null>>

const budgetWords = [
  ['budget_total', 'totalNano'],
  ['budget_month', 'monthNano'],
  ['budget_day', 'dayNano'],
] as const satisfies readonly (readonly [NoteWord, keyof Budget])[]

/** Each limit of a budget, as a finding, with what is left of it. */
function limitsOf(token: string, budget: Budget, spent: Spent) {
  const way: WayWord = 'raise_budget'
  return budgetWords.flatMap(([word, field]) => {
    const [spentNano, limitNano] = [spent[field], budget[field]]
    if (limitNano === null) return []
    const params = { token, spent_usd: usd(spentNano), limit_usd: usd(limitNano) }
    return [{ word, params, way, leftNano: limitNano - spentNano }]
  })
}

/** A new day or month starts at 0. */
function spentOn(spent: Spent, day: string): Spent {
  if (spent.day === day) return spent
  const isSameMonth = spent.day.slice(0, 7) === day.slice(0, 7)
  return { ...spent, dayNano: 0, monthNano: isSameMonth ? spent.monthNano : 0 }
}
