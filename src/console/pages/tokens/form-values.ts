import type { ListedToken, NewToken, TokenPatch } from '../../../admin/tokens/schema.ts'
import { changedIn, type LimitValues, limitValues, readLimits } from '../../parts/form-values.ts'

/** What stands in the form of a token: texts, empty where nothing is set. */
export interface TokenValues {
  readonly name: string
  readonly group: string
  readonly models: string[]
  readonly ip_allow: string[]
  /** Local time, as `datetime-local` has it; empty: never. */
  readonly expires_at: string
  readonly budget: { readonly total: string; readonly day: string; readonly month: string }
  readonly max_cost_per_request: string
  readonly limits: LimitValues
  readonly strict: boolean
}

/** The form of a token as it is; of a new one, with the defaults. */
export function valuesOf(token: ListedToken | undefined): TokenValues {
  const { total, day, month } = token?.budget ?? {}
  const expires = token?.expires_at ?? null
  return {
    ...{ name: token?.name ?? '', group: token?.group ?? '', strict: token?.strict ?? false },
    ...{ models: [...(token?.models ?? [])], ip_allow: [...(token?.ip_allow ?? [])] },
    expires_at: expires === null ? '' : toLocalInput(new Date(expires)),
    budget: { total: total ?? '', day: day ?? '', month: month ?? '' },
    max_cost_per_request: token?.max_cost_per_request ?? '',
    limits: limitValues(token?.limits),
  }
}

const settingsOf = ({ budget, ...values }: TokenValues) => ({
  ...values,
  name: values.name.trim(),
  expires_at: values.expires_at === '' ? null : toIso(values.expires_at),
  budget: { total: usd(budget.total), day: usd(budget.day), month: usd(budget.month) },
  max_cost_per_request: usd(values.max_cost_per_request),
  limits: readLimits(values.limits),
})

/** A new token; without a name it gets the next free one. */
export function newTokenOf(values: TokenValues): NewToken {
  const { name, ...rest } = settingsOf(values)
  return { ...rest, ...(name !== '' && { name }) }
}

/** What the form changes of what was seen: nothing else is named. */
export const changeOf = (seen: ListedToken, values: TokenValues): TokenPatch =>
  changedIn<TokenPatch>(settingsOf(valuesOf(seen)), settingsOf(values))

const usd = (text: string) => (text.trim() === '' ? null : text.trim().replace(/^\$\s*/, ''))

/** What is no time goes as it is: the API says what is wrong with it. */
function toIso(local: string): string {
  const time = new Date(local)
  return Number.isNaN(time.getTime()) ? local : time.toISOString()
}

function toLocalInput(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
