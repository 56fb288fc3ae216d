import type { GroupChange, GroupView } from '../../../admin/groups/schema.ts'
import { choice, type FieldsOf, formOf, limits, type Typed } from '../../parts/form-fields.ts'
import type { groupText } from './text.ts'

const namesOf = (named?: GroupView['channels']) => (named ?? []).map(({ name }) => name)

/** The fields of a group's form, in the order in which they are shown. */
export const groupFields = {
  name: 'line',
  channels: { fill: namesOf, show: namesOf, read: (names: string[]) => names },
  rate_multiplier: 'wideWord',
  models: 'lines',
  description: 'text',
  platform: 'line',
  accounts: 'openList',
  tools: 'openList',
  regions: 'regions',
  long_context_pricing: 'flag',
  on_disconnect: choice<GroupView['on_disconnect']>('radios'),
  limits,
} as const satisfies FieldsOf<GroupChange>

export const { valuesOf, settingsOf, changeOf, fieldOf, shown } = formOf(groupFields, {
  rate_multiplier: '1',
  long_context_pricing: true,
  on_disconnect: 'bill_observed',
})
export type GroupValues = Typed<typeof groupFields>

/** Whether a typed multiplier makes all of a group free that costs something now, or is new. */
export const makesFree = (typed: string, before = '1'): boolean =>
  Number(typed) === 0 && typed.trim() !== '' && Number(before) !== 0

/** What is most often forgotten, checked before anything is sent; the API knows all rules. */
export const validateGroup =
  (text: (typeof groupText)['en']) =>
  ({ name, rate_multiplier }: GroupValues): Record<string, string> => ({
    ...(name.trim() === '' && { name: text.needed }),
    ...(!/^(\d+(\.\d{0,6})?|\.\d{1,6})$/.test(rate_multiplier.trim()) && {
      rate_multiplier: text.notMultiplier,
    }),
  })
