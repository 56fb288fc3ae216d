import type { NewToken, TokenPatch } from '../../../admin/tokens/schema.ts'
import { type FieldsOf, formOf, limits, type Typed } from '../../parts/form-fields.ts'

/** What a token is and may call: the first fields of its form. */
export const callFields = { name: 'word', group: 'word', models: 'tags' } as const

/** What it may spend, and from where. */
export const limitFields = {
  budget: { total: 'usdLimit', day: 'usdLimit', month: 'usdLimit' },
  max_cost_per_request: 'usdLimit',
  limits,
  expires_at: 'time',
  ip_allow: 'tags',
  strict: 'flag',
} as const

const fields = { ...callFields, ...limitFields } satisfies FieldsOf<TokenPatch>
export const { valuesOf, settingsOf, changeOf, fieldOf, shown } = formOf(fields)
export type TokenValues = Typed<typeof fields>

/** A new token; without a name it gets the next free one. */
export function newTokenOf(values: TokenValues): NewToken {
  const { name, ...rest } = settingsOf(values)
  return { ...rest, ...(name !== '' && { name }) }
}
