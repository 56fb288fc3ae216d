import type { GroupChange, GroupView } from '../../../admin/groups/schema.ts'
import {
  changedIn,
  type LimitValues,
  limitValues,
  linesOf,
  type RegionValues,
  readLimits,
  readRegions,
  regionField,
  regionValues,
} from '../../parts/form-values.ts'
import type { groupText } from './text.ts'

/** What stands in the form of a group. */
export interface GroupValues {
  name: string
  description: string
  platform: string
  rate_multiplier: string
  channels: string[]
  /** One a line. */
  models: string
  long_context_pricing: boolean
  on_disconnect: 'bill_observed' | 'drain'
  limits: LimitValues
  is_open: boolean
  /** One a line, where it is not open to all. */
  accounts: string
  has_all_tools: boolean
  /** One a line, where these alone are allowed. */
  tools: string
  regions: RegionValues
}

/** The form of a group as it is; of one that is yet to be made, with the defaults. */
export const valuesOf = (group: GroupView | undefined): GroupValues => ({
  name: group?.name ?? '',
  description: group?.description ?? '',
  platform: group?.platform ?? '',
  rate_multiplier: group?.rate_multiplier ?? '1',
  channels: group?.channels.map(({ name }) => name) ?? [],
  models: group?.models.join('\n') ?? '',
  long_context_pricing: group?.long_context_pricing ?? true,
  on_disconnect: group?.on_disconnect ?? 'bill_observed',
  limits: limitValues(group?.limits),
  is_open: (group?.accounts ?? null) === null,
  accounts: group?.accounts?.join('\n') ?? '',
  has_all_tools: (group?.tools ?? null) === null,
  tools: group?.tools?.join('\n') ?? '',
  regions: regionValues(group?.regions),
})

/** What the form says, as the API wants it. */
export const groupOf = ({ is_open, has_all_tools, ...values }: GroupValues) => ({
  ...values,
  rate_multiplier: values.rate_multiplier.trim(),
  models: linesOf(values.models),
  limits: readLimits(values.limits),
  accounts: is_open ? null : linesOf(values.accounts),
  tools: has_all_tools ? null : linesOf(values.tools),
  regions: readRegions(values.regions),
})

/** What the form changes of what was seen: nothing else is named. */
export function changeOf(seen: GroupView, values: GroupValues): GroupChange {
  const changed = changedIn<GroupChange>(groupOf(valuesOf(seen)), groupOf(values))
  return { ...changed, revision: seen.revision }
}

/** The field of the form that a field of the API stands in. */
export function fieldOf(field: string): string {
  const [first = ''] = field.split('.')
  return ['models', 'channels', 'accounts', 'tools'].includes(first) ? first : regionField(field)
}

/** What people forget most, told before anything is sent; the API knows all rules. */
export const validateGroup =
  (text: (typeof groupText)['en']) =>
  ({ name, rate_multiplier }: GroupValues): Record<string, string> => ({
    ...(name.trim() === '' && { name: text.needed }),
    ...(!/^(\d+(\.\d{0,6})?|\.\d{1,6})$/.test(rate_multiplier.trim()) && {
      rate_multiplier: text.notMultiplier,
    }),
  })
