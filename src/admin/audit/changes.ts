import { type Static, Type } from '@sinclair/typebox'
import {
  formatDecimal,
  formatNano,
  multiplierDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import { humanTime, isoTime } from '../../lib/format.ts'
import { rateFields } from '../../resources/price.ts'
import type { AuditEntry } from '../../store/ports/admin.ts'
import { orNull } from '../shapes.ts'

const value = (description: string) => Type.Optional(orNull(Type.String(), description))

export const AuditChange = Type.Object({
  name: Type.String(),
  from: value('Null: there was none. Absent: not shown.'),
  to: value('Null: there is none now. Absent: not shown.'),
})
export type AuditChange = Static<typeof AuditChange>

type Fields = Readonly<Record<string, unknown>>
type Step = { readonly from?: unknown; readonly to?: unknown }
type ShowNumber = (value: number) => string

/** Fields of a token price; their names do not carry the unit. */
const prices: ReadonlySet<string> = new Set(Object.values(rateFields).map(({ as }) => as))
const perMillion: ShowNumber = (value) => `${formatDecimal(value, priceDecimals)} USD per 1M`

const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Never shown, even if an entry contains it. */
const secret = /password|secret|sealed|hash/i

/**
 * What was changed, made readable from the detail of an entry: its fields are values, or
 * `{ from, to }`; a detail that is itself `{ from, to }` is compared field by field.
 */
export function readChanges({ detail }: Pick<AuditEntry, 'detail'>): AuditChange[] {
  if (isStep(detail) && (isFields(detail.from) || isFields(detail.to))) {
    const from = isFields(detail.from) ? detail.from : {}
    const to = isFields(detail.to) ? detail.to : {}
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    return names
      .filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
      .map((name) => {
        const isPrice = prices.has(name) && [from.unit, to.unit].includes('tokens')
        const show = isPrice ? perMillion : undefined
        return changeOf(name, { from: from[name], to: to[name] }, show)
      })
  }
  return Object.entries(detail).map(([name, value]) =>
    changeOf(name, isStep(value) ? value : { to: value }),
  )
}

function changeOf(name: string, step: Step, showNumber?: ShowNumber): AuditChange {
  const [label, show] = showNumber ? [name, showNumber] : readerOf(name)
  if (secret.test(name)) return { name: label }
  return {
    name: label,
    ...('from' in step && { from: textOf(step.from, show) }),
    ...('to' in step && { to: textOf(step.to, show) }),
  }
}

/** The label and the unit of a field, by the end of its name. */
function readerOf(name: string): [label: string, show: ShowNumber] {
  const label = name.replace(/_?(nano|millionths)$/i, '')
  if (/nano$/i.test(name)) return [label, (value) => `${formatNano(value)} USD`]
  if (/millionths$/i.test(name)) return [label, (value) => formatDecimal(value, multiplierDecimals)]
  if (/(_at|At)$/.test(name)) return [label, (value) => humanTime(isoTime(value))]
  return [name, String]
}

function textOf(value: unknown, show: ShowNumber): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return Number.isSafeInteger(value) ? show(value) : String(value)
  if (typeof value === 'string') return isTime.test(value) ? humanTime(value) : value
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) {
    return value.join(', ')
  }
  return JSON.stringify(value, (name, part) => (secret.test(name) ? undefined : part))
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isStep = (value: unknown): value is Step =>
  isFields(value) &&
  ('from' in value || 'to' in value) &&
  Object.keys(value).every((name) => name === 'from' || name === 'to')
