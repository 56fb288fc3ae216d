import type { Checked, Remark } from '../../admin/refusals.ts'
import { accountFields } from '../../resources/account.ts'
import type { Definition } from '../../resources/field.ts'
import { placesOf } from '../../resources/resource.ts'
import type { GroupSettings } from '../../store/ports/catalog.ts'
import { type LoadedEntry, loadEntry } from '../config/fragment.ts'
import type { ConfigProblem } from '../config/problem.ts'

export const checkChannel = (entry: object) => remarked(loadEntry.channel(entry))

/** Checks a group; a `name` is required, and unknown channels are allowed. */
export function checkGroup(entry: object, countryHeader: string | null): Checked<GroupSettings> {
  const checked = remarked(loadEntry.group(entry, countryHeader))
  if (!checked.ok) return checked
  // A channel missing in the file is no fault where there is no file.
  const warnings = checked.warnings.filter(({ field }) => !field.startsWith('channels'))
  return { ...checked, warnings }
}

export const checkAccount = (entry: object, countryHeader: string | null) =>
  remarked(loadEntry.account(entry, countryHeader), accountFields)

export const checkToken = (entry: object) => remarked(loadEntry.token(entry))

/**
 * The file's complaints in the words of the API: `definition` has the fields that the API names
 * differently.
 */
function remarked<Value>(
  { at, ...loaded }: LoadedEntry<Value>,
  definition: Definition = {},
): Checked<Value> {
  const others = placesOf(definition).filter(({ path, fileKey }) => path !== fileKey)

  /** `channels[0].models[2].id …` is about the field `models.2.id` of a form. */
  function remarkOf({ path, message, fault, value }: ConfigProblem): Remark {
    const own = (text: string) => {
      const short = text.replaceAll(at, '').replace(/^api_key\b(?!s)/, 'api_keys')
      const other = others.find(({ fileKey }) => short.startsWith(fileKey))
      return other ? other.path + short.slice(other.fileKey.length) : short
    }
    const field = own(path).replaceAll(/\[(\d+)\]/g, '.$1')
    const more = { ...(fault && { fault }), ...(value !== null && { value }) }
    return { field, message: own(message).replace(/\.?$/, '.'), ...more }
  }

  if (loaded.ok) return { ...loaded, warnings: loaded.warnings.map(remarkOf) }
  const [first, ...rest] = loaded.problems.map(remarkOf)
  return { ok: false, problems: [first ?? { field: '', message: 'Not valid.' }, ...rest] }
}
