import { nanoDecimals, parseDecimal } from '../../billing/money.ts'
import type { Catalog, Group } from '../../catalog/catalog.ts'
import { parseDateTime } from '../../lib/clock.ts'
import type { TokenFields } from '../../store/ports/admin.ts'
import { ApiError } from '../api-error.ts'
import type { Fault } from '../faults.ts'
import type { TokenPatch } from './schema.ts'

/** How texts are checked, by the same rules as in tollgate.yaml. Complaints end a sentence. */
export interface TokenRules {
  name(text: string): string | undefined
  /** An address or a CIDR block. */
  block(text: string): string | undefined
}

interface FieldParts {
  readonly rules: TokenRules
  readonly now: number
  readonly catalog: Catalog
  /** Whether the owner may use a group. */
  readonly mayUse: (group: Group) => boolean
  /** What the token has where nothing else is named. */
  readonly present?: { readonly group: string; readonly models: readonly string[] }
}

const wrong = (field: string, fault: Fault, message: string) =>
  new ApiError('invalid_value', `${field}: ${message}.`, { field, fault })

/** Checks what is named of a token; throws `ApiError` with the field at fault. */
export function readFields(body: TokenPatch, parts: FieldParts): TokenFields {
  const { name, group, status, models, ip_allow, strict, expires_at, budget, limits } = body
  const { rules, now } = parts
  if (name !== undefined) complain('name', name, 'unfit_name', rules.name)
  checkModels(body, parts)
  ip_allow?.forEach((block, i) => {
    complain(`ip_allow.${i}`, block, 'unfit_ip_block', rules.block)
  })
  return {
    ...(name !== undefined && { name }),
    ...(group !== undefined && { group }),
    ...(status !== undefined && { status }),
    ...(models !== undefined && { models: [...new Set(models)] }),
    ...(ip_allow !== undefined && { ipAllow: [...new Set(ip_allow)] }),
    ...(strict !== undefined && { isStrict: strict }),
    ...(expires_at !== undefined && { expiresAt: readExpiry(expires_at, now) }),
    ...(budget && { budget: readBudget(budget) }),
    ...(limits && { limits }),
  }
}

function complain(
  field: string,
  text: string,
  fault: Fault,
  rule: (text: string) => string | undefined,
): void {
  const complaint = rule(text)
  if (complaint !== undefined) throw wrong(field, fault, `${JSON.stringify(text)} ${complaint}`)
}

function readExpiry(text: string | null, now: number): number | null {
  if (text === null) return null
  const time = parseDateTime(text)
  if (time === undefined) {
    const example = 'write it with its offset, such as 2027-01-31T12:00:00Z, or null'
    throw wrong('expires_at', 'unfit_time', `"${text}" is not a date and time: ${example}`)
  }
  if (time <= now)
    throw wrong('expires_at', 'time_is_over', `"${text}" is over: give a time to come, or null`)
  return time
}

function readBudget(budget: NonNullable<TokenPatch['budget']>) {
  const read = (part: 'total' | 'day' | 'month') => {
    const usd = budget[part]
    if (usd === undefined || usd === null) return usd
    const nano = parseDecimal(usd, nanoDecimals)
    if (nano !== undefined && nano >= 0) return nano
    throw wrong(
      `budget.${part}`,
      'unfit_amount',
      `"${usd}" is not an amount: write USD, 0 or more, with at most 9 decimals, such as 20 or 2.5`,
    )
  }
  const [total, day, month] = [read('total'), read('day'), read('month')]
  return {
    ...(total !== undefined && { totalNano: total }),
    ...(day !== undefined && { dayNano: day }),
    ...(month !== undefined && { monthNano: month }),
  }
}

/**
 * The group must be there, enabled and open to the owner, and have what is named. Of a token's own that is
 * closed to its owner by now, it is not told which models it has.
 */
function checkModels(body: TokenPatch, { catalog, mayUse, present }: FieldParts): void {
  if (body.group === undefined && body.models === undefined) return
  const name = body.group ?? present?.group ?? ''
  const group = [...catalog.groups.values()].find((one) => one.name === name)
  const isKept = present !== undefined && present.group === name
  if (isKept && group && !mayUse(group)) {
    if (isSame(body.models ?? present.models, present.models)) return
    throw wrong(
      'models',
      'not_known',
      `group "${name}" is not open to this account any more: choose another group for this token first`,
    )
  }
  if (body.group !== undefined && !(group?.enabled && (isKept || mayUse(group)))) {
    throw wrong(
      'group',
      'not_known',
      `there is no group "${name}" to choose; /api/v1/groups lists them`,
    )
  }
  const hasNot = (model: string) => !group?.offers.has(model)
  const at = body.models?.findIndex(hasNot) ?? -1
  if (at >= 0)
    throw wrong(`models.${at}`, 'not_known', `group "${name}" has no model "${body.models?.[at]}"`)
  const kept = body.models ?? present?.models ?? []
  if (kept.length > 0 && kept.every(hasNot)) {
    const others = 'choose others, or none for all of them'
    throw wrong(
      'models',
      'not_known',
      `group "${name}" has none of the models that this token may use; ${others}`,
    )
  }
}

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one, at) => one === others[at])
