import type { ListedToken, NewToken, TokenPatch } from '../../../admin/tokens/schema.ts'

/** A token's fields as a form has them: texts, empty where nothing is set. */
export interface TokenValues {
  readonly name: string
  readonly group: string
  readonly models: string[]
  readonly ipAllow: string[]
  /** Local time, as `datetime-local` has it; empty: never. */
  readonly expires: string
  readonly total: string
  readonly day: string
  readonly month: string
  readonly maxCost: string
  readonly rpm: string
  readonly tpm: string
  readonly concurrency: string
  readonly strict: boolean
}

export const emptyToken: TokenValues = {
  ...{ name: '', group: '', models: [], ipAllow: [], expires: '', strict: false },
  ...{ total: '', day: '', month: '', maxCost: '', rpm: '', tpm: '', concurrency: '' },
}

/** The fields of the form by the API's names, for refusals. */
export const formFields = {
  name: 'name',
  group: 'group',
  models: 'models',
  ip_allow: 'ipAllow',
  expires_at: 'expires',
  'budget.total': 'total',
  'budget.day': 'day',
  'budget.month': 'month',
  max_cost_per_request: 'maxCost',
  'limits.rpm': 'rpm',
  'limits.tpm': 'tpm',
  'limits.concurrency': 'concurrency',
} as const satisfies { [field: string]: keyof TokenValues }

/** A token as the form shows it. */
export function toValues(token: ListedToken): TokenValues {
  const { budget, limits } = token
  const text = (value: string | number | null) => (value === null ? '' : String(value))
  return {
    ...{ name: token.name, group: token.group, strict: token.strict },
    ...{ models: [...token.models], ipAllow: [...token.ip_allow] },
    expires: token.expires_at === null ? '' : toLocalInput(new Date(token.expires_at)),
    ...{ total: text(budget.total), day: text(budget.day), month: text(budget.month) },
    maxCost: text(token.max_cost_per_request),
    ...{ rpm: text(limits.rpm), tpm: text(limits.tpm), concurrency: text(limits.concurrency) },
  }
}

/** What is asked of the API for a new token; without a name it gets the next free one. */
export function toNewToken(values: TokenValues): NewToken {
  const { name, group, ...rest } = bodyOf(values)
  return { group, ...(name !== '' && { name }), ...rest }
}

/** Of a changed form only what was changed: somebody else may have changed the rest. */
export function toPatch(before: TokenValues, after: TokenValues): TokenPatch {
  return differences(bodyOf(before), bodyOf(after))
}

const bodyOf = (values: TokenValues) => ({
  name: values.name.trim(),
  group: values.group,
  models: values.models,
  ip_allow: values.ipAllow,
  strict: values.strict,
  expires_at: values.expires === '' ? null : toIso(values.expires),
  budget: { total: usd(values.total), day: usd(values.day), month: usd(values.month) },
  max_cost_per_request: usd(values.maxCost),
  limits: {
    ...{ rpm: count(values.rpm), tpm: count(values.tpm) },
    concurrency: count(values.concurrency),
  },
})

const usd = (text: string) => (text.trim() === '' ? null : text.trim().replace(/^\$\s*/, ''))
const count = (text: string) => (text.trim() === '' ? null : Number(text))

/** What is no time is left as it is: the API says what is wrong with it. */
function toIso(local: string): string {
  const time = new Date(local)
  return Number.isNaN(time.getTime()) ? local : time.toISOString()
}

/** `2027-01-31T12:00` of local time. */
function toLocalInput(time: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`
}

/** Maps are compared field by field, all else as a whole. */
function differences<Body extends object>(before: Body, after: Body): Partial<Body> {
  const changed = Object.entries(after).flatMap(([name, to]) => {
    const from: unknown = before[name as keyof Body]
    if (JSON.stringify(from) === JSON.stringify(to)) return []
    const isMap = typeof to === 'object' && to !== null && !Array.isArray(to)
    return [[name, isMap ? differences(from as object, to) : to]]
  })
  return Object.fromEntries(changed) as Partial<Body>
}
