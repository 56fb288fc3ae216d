import type { SettingList, SettingPatch, SettingView } from '../../../admin/settings/schema.ts'

type Value = SettingView['value']

/** Settings as a form has them, by the two parts of their names: `site.name`. */
export type SettingValues = Record<string, Record<string, string | boolean>>

/** What the field of a setting shows of a value; empty: not set. */
export const fieldValue = (value: Value): string | boolean =>
  typeof value === 'boolean' ? value : String(value ?? '')

/** The form of all settings as they are. */
export function valuesOf({ items }: SettingList): SettingValues {
  const values: SettingValues = {}
  for (const { name, value } of items) {
    const [section = '', key = ''] = name.split('.')
    values[section] = { ...values[section], [key]: fieldValue(value) }
  }
  return values
}

/** What stands in the field of a setting. */
export function valueIn(values: SettingValues, name: string): string | boolean {
  const [section = '', key = ''] = name.split('.')
  return values[section]?.[key] ?? ''
}

/** The settings that the form changes of what was seen. */
export const changedIn = ({ items }: SettingList, values: SettingValues) =>
  items.filter(({ name, value }) => valueIn(values, name) !== fieldValue(value))

/** What the form changes of what was seen: nothing else is named. */
export function changeOf(seen: SettingList, values: SettingValues): SettingPatch {
  const changes = changedIn(seen, values).map(
    (setting) => [setting.name, wanted(setting, valueIn(values, setting.name))] as const,
  )
  return { revision: seen.revision, changes: Object.fromEntries(changes) }
}

/** An empty text, and the default, take a setting away; whole numbers are sent as such. */
function wanted({ kind, default: usual }: SettingView, value: string | boolean): Value {
  if (typeof value === 'boolean') return value === usual ? null : value
  const typed = value.trim()
  if (typed === '' || typed === fieldValue(usual)) return null
  return kind === 'whole' && /^\d{1,15}$/.test(typed) ? Number(typed) : typed
}
