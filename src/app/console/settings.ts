import { KindGuard } from '@sinclair/typebox'
import { edit, type Remark, requireRight } from '../../admin/refusals.ts'
import type { SettingService, SettingView } from '../../admin/settings/routes.ts'
import { wordsOf } from '../../site/schemas.ts'
import type { Config } from '../config/config.ts'
import { loadFragment } from '../config/fragment.ts'
import { settingFields, siteFields, writtenSettings } from '../config/setting-fields.ts'
import { complainOfSetting, type SettableName, settable } from '../config/settings.ts'
import type { ConsoleParts } from './parts.ts'

/** Manual settings for what tollgate.yaml leaves open. */
export function createSettings({ config, store, changed }: ConsoleParts): SettingService {
  async function list() {
    const { values, revision } = await store.edits.storedSettings()
    const inForce = valuesOf(config())
    const defaults = valuesOf(defaultConfig())
    const items = settable.map((one): SettingView => {
      const { name, schema } = one
      const line = config().fixed.get(name) ?? null
      return {
        name,
        ...kindOf(schema),
        description: schema.description ?? '',
        value: inForce.get(name) ?? null,
        default: defaults.get(name) ?? null,
        example: one.example,
        source: line !== null ? 'file' : values.has(name) ? 'console' : 'default',
        line,
      }
    })
    return { revision, items }
  }

  return {
    list,
    async change({ email }, { revision, changes }) {
      const named = new Map(Object.entries(changes))
      const [first, ...others] = [...named].flatMap(
        ([name, value]) => problemOf(config(), name, value) ?? [],
      )
      if (first) requireRight({ ok: false, problems: [first, ...others] })
      const work = () => store.edits.setSettings(named, { actor: email, revision })
      await edit(work, { present: list })
      await changed()
      return list()
    },
  }
}

/** What is wrong with a change of a setting; undefined: nothing. */
function problemOf({ fixed }: Config, name: string, value: unknown): Remark | undefined {
  if (!settable.some((one) => one.name === name))
    return {
      ...{ field: name, fault: 'not_known' },
      message: `There is no setting ${JSON.stringify(name)}.`,
    }
  const line = fixed.get(name)
  if (line !== undefined) {
    const message = `${name} is set by tollgate.yaml (line ${line}): change it there.`
    return { field: name, message, fault: 'set_by_file' }
  }
  const complaint = value === null ? undefined : complainOfSetting(name, value)
  if (complaint === undefined) return undefined
  const { message, fault, value: shown } = complaint
  const more = { ...(fault && { fault }), ...(shown !== null && { value: shown }) }
  return { field: name, message: `${message}.`, ...more }
}

function valuesOf({ site, settings }: Config): ReadonlyMap<string, SettingView['value']> {
  const inSection = (section: string, values: object) =>
    Object.entries(values).map(([key, value]) => [`${section}.${key}`, value] as const)
  return new Map([
    ...inSection('site', writtenSettings(siteFields, site)),
    ...inSection('settings', writtenSettings(settingFields, settings)),
  ])
}

function defaultConfig(): Config {
  const loaded = loadFragment({})
  if (!loaded.ok) throw new Error('An empty configuration is not valid.')
  return loaded.config
}

function kindOf(schema: SettableName['schema']): Pick<SettingView, 'kind' | 'choices'> {
  if (KindGuard.IsBoolean(schema)) return { kind: 'flag', choices: [] }
  if (KindGuard.IsInteger(schema)) return { kind: 'whole', choices: [] }
  if (schema.reads === 'usd') return { kind: 'usd', choices: [] }
  const words = wordsOf(schema)?.map(String)
  return words ? { kind: 'choice', choices: words } : { kind: 'text', choices: [] }
}
