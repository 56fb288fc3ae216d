import { formatNano } from '../../billing/money.ts'
import { seenBy } from '../../catalog/catalog.ts'
import { utcDay } from '../../lib/clock.ts'
import type { TokenView } from '../../store/ports/admin.ts'
import type { Spent } from '../../store/ports/records.ts'
import { causeOf } from './causes.ts'
import type { Facts } from './facts.ts'
import type { NoteWord, Step } from './schema.ts'
import { type OpenStep, openStep } from './steps.ts'

/** 4. Is the token valid, and is there money? Now, and at the time of the request where it is known. */
export function tokenStep(facts: Facts): Step {
  const { request, token, tokenLink: link } = facts
  const step = openStep('token')
  const cause = causeOf(request.cause)
  const isCause = cause?.step === 'token'
  if (token === undefined) {
    step.problem('token_gone', { token: request.token })
    step.way('new_token')
  } else {
    checkToken(facts, token, step)
    checkBudget(facts, token, step)
  }
  checkAccount(facts, step)
  if (token !== undefined && step.problems.length === 0) {
    const { name, group } = token
    step.note(isCause ? 'token_fine_by_now' : 'token_fine', { token: name, group })
  }
  const explaining = problemsOf[request.cause ?? ''] ?? []
  return step.done({ explaining, link })
}

/** The problems that confirm a cause. */
const problemsOf: Readonly<Record<string, readonly NoteWord[]>> = {
  unknown: ['token_gone'],
  deleted: ['token_gone', 'account_disabled'],
  disabled: ['token_disabled'],
  expired: ['token_expired'],
  ip_not_allowed: ['token_addresses'],
  model_not_allowed: ['token_models'],
  group_disabled: ['token_group_off', 'token_group_closed'],
  account_restricted: ['account_disabled'],
  budget: ['budget_total', 'budget_month', 'budget_day'],
  balance: ['balance_used_up'],
  balance_used_up: ['balance_used_up', 'budget_total', 'budget_month', 'budget_day'],
}

function checkToken(
  { request, catalog, usable, account, now, isTokenChanged }: Facts,
  token: TokenView,
  step: OpenStep,
): void {
  const { name, group, status, expiresAt, models, ipAllow } = token
  const { cause, model, createdAt } = request
  const about = { token: name, group }
  if (status === 'disabled') {
    step.problem('token_disabled', about)
    step.way('enable_token')
  }
  if (expiresAt !== null && expiresAt <= now) {
    const expired = { ...about, expires_at: new Date(expiresAt).toISOString() }
    if (expiresAt <= createdAt) step.problem('token_expired', expired)
    else step.note('token_expired_since', expired)
    step.way('extend_token')
  }
  if (isTokenChanged) step.note('token_changed_since', about)
  const groupNow = [...catalog.groups.values()].find((one) => one.name === group)
  if (!groupNow || !usable.includes(groupNow)) {
    const isClosed = seenBy(account, groupNow) === 'closed'
    step.problem(isClosed ? 'token_group_closed' : 'token_group_off', about)
    step.way('try_other_group')
  }
  if (group !== request.group) {
    step.note('token_group_changed', { ...about, former: request.group })
  }
  if (models.length > 0 && model !== null && !models.includes(model)) {
    step.problem('token_models', { ...about, model, models: models.slice(0, 20) })
    step.way('allow_model', { model })
  }
  if (ipAllow.length === 0) return
  const addresses = { ...about, addresses: ipAllow.slice(0, 20) }
  if (cause === 'ip_not_allowed') {
    step.problem('token_addresses', addresses)
    step.way('allow_address')
  } else step.note('token_addresses', addresses)
}

function checkBudget({ spending, now }: Facts, token: TokenView, step: OpenStep): void {
  if (spending === undefined) return
  const spent = spentOn(spending.spent, utcDay(now))
  const { totalNano, dayNano, monthNano } = token.budget
  const all = [
    ['budget_total', spent.totalNano, totalNano],
    ['budget_month', spent.monthNano, monthNano],
    ['budget_day', spent.dayNano, dayNano],
  ] as const
  for (const [word, spentNano, limitNano] of all) {
    if (limitNano === null) continue
    const params = {
      token: token.name,
      spent_usd: formatNano(spentNano),
      limit_usd: formatNano(limitNano),
    }
    if (spentNano < limitNano) step.note(word, params)
    else {
      step.problem(word, params)
      step.way('raise_budget')
    }
  }
}

/** A new day or month starts at 0. */
function spentOn(spent: Spent, today: string): Spent {
  if (spent.day === today) return spent
  const isSameMonth = spent.day.slice(0, 7) === today.slice(0, 7)
  return { ...spent, dayNano: 0, monthNano: isSameMonth ? spent.monthNano : 0 }
}

function checkAccount({ account, balanceThenNano }: Facts, step: OpenStep): void {
  if (account === undefined || account.status === 'disabled') {
    step.problem('account_disabled')
    step.way('ask_operator')
  }
  if (account !== undefined) {
    const { balanceNano, creditLimitNano } = account
    const balance = { balance_usd: formatNano(balanceNano) }
    if (balanceNano + creditLimitNano > 0) step.note('balance_now', balance)
    else {
      step.problem('balance_used_up', balance)
      step.way('add_balance')
    }
  }
  if (balanceThenNano === undefined) return
  step.note('balance_then', { balance_usd: formatNano(balanceThenNano) })
}
