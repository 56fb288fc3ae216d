import type { Checked, Remark } from '../../admin/checked.ts'
import type { GroupSettings, Regions } from '../../store/ports/catalog.ts'
import type { ChannelConfig, Config } from '../config/config.ts'
import { type Fragment, loadFragment } from '../config/fragment.ts'
import type { ConfigProblem } from '../config/problem.ts'

/** Checks a channel as if it stood in tollgate.yaml. */
export const checkChannel = (entry: object): Checked<ChannelConfig> =>
  checkOne('channels', entry, null, ({ channels }) => channels[0])

/**
 * Checks a group as if it stood in tollgate.yaml. Its channels may be anywhere. `countryHeader`: the
 * setting in force.
 */
export function checkGroup(entry: object, countryHeader: string | null): Checked<GroupSettings> {
  const checked = checkOne('groups', entry, countryHeader, ({ groups }) => groups[0])
  if (!checked.ok) return checked
  // That the file does not name a channel is no fault where there is no file.
  const warnings = checked.warnings.filter(({ field }) => !field.startsWith('channels'))
  return { ...checked, warnings }
}

/** The same of the countries that an account may be used from. */
export const checkRegions = (regions: object, countryHeader: string | null): Checked<Regions> =>
  checkOne(
    'accounts',
    { email: 'a@example.com', regions },
    countryHeader,
    ({ accounts }) => accounts[0]?.regions ?? undefined,
  )

function checkOne<Value>(
  section: 'channels' | 'groups' | 'accounts',
  entry: object,
  countryHeader: string | null,
  pick: (config: Config) => Value | undefined,
): Checked<Value> {
  const fragment: Fragment = { [section]: [entry] }
  const loaded = loadFragment(fragment, countryHeader)
  if (!loaded.ok) {
    const [first, ...others] = loaded.problems.map((problem) => remarkOf(section, problem))
    return { ok: false, problems: [first ?? { field: '', message: 'Not valid.' }, ...others] }
  }
  const value = pick(loaded.config)
  if (value === undefined) throw new Error('What was checked is not there.')
  const warnings = loaded.warnings.map((warning) => remarkOf(section, warning))
  return { ok: true, value, warnings }
}

/** `channels[0].models[2].id …` is about the field `models.2.id` of a form. */
function remarkOf(section: string, { path, message, fault }: ConfigProblem): Remark {
  const own = (text: string) =>
    text.replaceAll(`${section}[0].`, '').replace(/^api_key\b(?!s)/, 'api_keys')
  const field = own(path).replaceAll(/\[(\d+)\]/g, '.$1')
  return { field, message: own(message).replace(/\.?$/, '.'), ...(fault && { fault }) }
}
