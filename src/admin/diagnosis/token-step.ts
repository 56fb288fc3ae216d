import { seenBy } from '../../catalog/catalog.ts'
import { isoTime } from '../../lib/format.ts'
import { causeOf } from './causes.ts'
import type { Facts } from './facts.ts'
import { type Finding, pastOf, tellThenAndNow } from './findings.ts'
import { checkMoney } from './money-findings.ts'
import { type OpenStep, openStep, type Params } from './open-step.ts'
import type { NoteWord, Step, WayWord } from './schema.ts'
import type { TokenThen } from './then.ts'

/** 4. Was the token valid, and was there money? At the time of the request, and now. */
export function tokenStep(facts: Facts): Step {
  const { request, token, tokenThen, tokenLink: link, createdAt, now } = facts
  const step = openStep('token')
  const { cause } = request
  const money = checkMoney(facts)
  const past = [...accountThen(facts), ...money.past]
  const present = [...accountNow(facts), ...money.present]
  if (token !== undefined) {
    past.unshift(...checkToken(facts, tokenThen ?? token, createdAt, groupThen(facts)))
    present.unshift(...checkToken(facts, token, now, groupNow(facts)))
  }
  if (token === undefined) goneToken(facts, step)
  else if (facts.isTokenChanged) changedToken(facts, step)
  tellThenAndNow(step, past, present)
  tellRest(facts, present, step)
  for (const { word, params } of money.notes) step.note(word, params)
  if (token !== undefined && present.length === 0) {
    const { name, group } = token
    const isOver = past.length > 0 || causeOf(cause)?.step === 'token'
    step.note(isOver ? 'token_fine_by_now' : 'token_fine', { token: name, group })
  }
  const explaining = explainedBy[cause ?? ''] ?? []
  return step.done({ explaining: [...explaining, ...explaining.map(pastOf)], link })
}

/** The findings that confirm a cause. */
const explainedBy: Readonly<Record<string, readonly NoteWord[]>> = {
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
  { request }: Facts,
  { name, group, status, expiresAt, models, ipAllow }: TokenThen,
  at: number,
  groupWord: GroupWord | undefined,
): Finding[] {
  const { cause, model } = request
  const about = { token: name, group }
  const findings: Finding[] = []
  const find = (word: NoteWord, way: WayWord, params: Params = {}, wayParams: Params = {}) =>
    void findings.push({ word, params: { ...about, ...params }, way, wayParams })
  if (status === 'disabled') find('token_disabled', 'enable_token')
  if (expiresAt !== null && expiresAt <= at) {
    find('token_expired', 'extend_token', { expires_at: isoTime(expiresAt) })
  }
  if (groupWord !== undefined) find(groupWord, 'try_other_group')
  if (models.length > 0 && model !== null && !models.includes(model)) {
    const listed = models.slice(0, mostListed)
    find('token_models', 'allow_model', { model, models: listed }, { model })
  }
  if (ipAllow.length > 0 && cause === 'ip_not_allowed') {
    find('token_addresses', 'allow_address', { addresses: ipAllow.slice(0, mostListed) })
  }
  return findings
}

const mostListed = 20

type GroupWord = 'token_group_off' | 'token_group_closed'

function groupNow({ token, catalog, usable, account }: Facts): GroupWord | undefined {
  const group = [...catalog.groups.values()].find(({ name }) => name === token?.group)
  if (group !== undefined && usable.includes(group)) return undefined
  return seenBy(account, group) === 'closed' ? 'token_group_closed' : 'token_group_off'
}

/** Only the cause says that a group was off; of which kind, only if it is so still. */
const groupThen = (facts: Facts): GroupWord | undefined =>
  facts.request.cause === 'group_disabled' ? (groupNow(facts) ?? 'token_group_off') : undefined

const disabledAccount: Finding = { word: 'account_disabled', params: {}, way: 'ask_operator' }

const accountNow = ({ account }: Facts): Finding[] =>
  account === undefined || account.status === 'disabled' ? [disabledAccount] : []

const accountThen = ({ request: { cause }, account }: Facts): Finding[] =>
  cause === 'account_restricted' || (cause === 'deleted' && account === undefined)
    ? [disabledAccount]
    : []

function goneToken({ request: { token, cause } }: Facts, step: OpenStep): void {
  if (cause === 'deleted' || cause === 'unknown') step.problem('token_gone', { token })
  else step.note('token_gone', { token })
  step.way('new_token')
}

function changedToken({ token, tokenThen, request }: Facts, step: OpenStep): void {
  const about = { token: token?.name ?? request.token }
  step.note(tokenThen === undefined ? 'token_then_unknown' : 'token_changed_since', about)
}

/** What restrains the token without refusing this request. */
function tellRest({ token, request }: Facts, present: readonly Finding[], step: OpenStep): void {
  if (token === undefined) return
  const { name, group, ipAllow } = token
  if (group !== request.group) {
    step.note('token_group_changed', { token: name, group, former: request.group })
  }
  if (ipAllow.length === 0 || present.some(({ word }) => word === 'token_addresses')) return
  step.note('token_addresses', { token: name, group, addresses: ipAllow.slice(0, mostListed) })
}
