import type { TSchema } from '@sinclair/typebox'
import type { Config } from './config.ts'
import { loadFragment } from './fragment.ts'
import type { ConfigProblem } from './problem.ts'
import { settingFields, siteFields } from './setting-fields.ts'
import type { Settings } from './setting-kinds.ts'

/** What of `site:` can be set by hand: texts. Addresses decide what is served where, and are the file's. */
const siteKeys = [
  ...['name', 'subtitle', 'contact', 'doc_url', 'logo_url', 'accent', 'plaza_description'],
]

/** A setting that can be set by hand. */
export interface SettableName {
  /** As the file has it: `settings.max_attempts`. */
  readonly name: string
  readonly section: 'settings' | 'site'
  readonly key: string
  readonly as: string
  readonly schema: TSchema
  /** A value that fits, where there is no default. */
  readonly example: string | null
}

const settableIn = (section: 'settings' | 'site', fields: object): readonly SettableName[] =>
  Object.entries(fields as Settings).map(([key, { as, file, example }]) => ({
    ...{ name: `${section}.${key}`, section, key, as, schema: file },
    // As the file quotes a text that would be a comment there.
    example: example?.replace(/^"(.*)"$/, '$1') ?? null,
  }))

/** All that can be set by hand, in the order of the file. */
export const settable: readonly SettableName[] = [
  ...settableIn('site', siteFields).filter(({ key }) => siteKeys.includes(key)),
  ...settableIn('settings', settingFields),
]

const byName = new Map(settable.map((one) => [one.name, one]))

/** Complains of a value by the rules of the file; undefined when it is right. */
export function complainOfSetting(name: string, value: unknown): ConfigProblem | undefined {
  const loaded = readSetting(name, value)
  return loaded?.ok === false ? loaded.problems[0] : undefined
}

function readSetting(name: string, value: unknown) {
  const found = byName.get(name)
  return found && loadFragment({ [found.section]: { [found.key]: value } })
}

/** The balance below which accounts count as low, where it was set by hand and still fits. */
export function balanceLowByHand(stored: ReadonlyMap<string, unknown>): number | undefined {
  const name = 'settings.balance_low_threshold'
  if (!stored.has(name)) return undefined
  const loaded = readSetting(name, stored.get(name))
  return loaded?.ok ? loaded.config.settings.balanceLowThresholdNano : undefined
}

/** The country header that was set in the console or by command; null: none. */
export function countryHeaderByHand(stored: ReadonlyMap<string, unknown>): string | null {
  const name = 'settings.country_header'
  const loaded = stored.has(name) ? readSetting(name, stored.get(name)) : undefined
  return loaded?.ok ? loaded.config.settings.countryHeader : null
}

/** Adds the settings made in the console where the file has none. Invalid ones are left out. */
export function withSettings(config: Config, stored: ReadonlyMap<string, unknown>): Config {
  const changed = { site: {}, settings: {} }
  for (const [name, value] of stored) {
    const found = byName.get(name)
    const loaded = config.fixed.has(name) ? undefined : readSetting(name, value)
    if (found === undefined || !loaded?.ok) continue
    const { section, as } = found
    Object.assign(changed[section], { [as]: Reflect.get(loaded.config[section], as) })
  }
  const { site, settings } = config
  return {
    ...config,
    site: { ...site, ...changed.site },
    settings: { ...settings, ...changed.settings },
  }
}
