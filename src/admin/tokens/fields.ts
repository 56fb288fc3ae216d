import type { Catalog, Group } from '../../catalog/catalog.ts'
import { onlyNamed, toWritten } from '../../resources/resource.ts'
import { type TokenSettings, tokenFields } from '../../resources/token.ts'
import type { TokenFields } from '../../store/ports/admin.ts'
import { ApiError } from '../api-error.ts'
import { type Checked, requireRight } from '../refusals.ts'
import type { TokenPatch } from './schema.ts'

interface FieldParts {
  readonly now: number
  /** Applies the rules of tollgate.yaml to an entry of it. */
  readonly check: (entry: object) => Checked<TokenSettings>
  readonly catalog: Catalog
  /** Whether the owner may use a group. */
  readonly mayUse: (group: Group) => boolean
  /** What the token has where nothing else is named. */
  readonly present?: { readonly group: string; readonly models: readonly string[] }
}

/** Checks what is named of a token; throws `ApiError` with the field at fault. */
export function readFields(body: TokenPatch, parts: FieldParts): TokenFields {
  checkModels(body, parts)
  const checked = requireRight(parts.check(toWritten(tokenFields, body)))
  const { expiresAt } = checked
  if (expiresAt !== null && expiresAt <= parts.now) {
    const asked = `expires_at: "${body.expires_at}" is over: give a time to come, or null.`
    throw new ApiError('invalid_value', asked, { field: 'expires_at', fault: 'time_is_over' })
  }
  return onlyNamed(tokenFields, checked, body)
}

const notKnown = (field: string, message: string) =>
  new ApiError('invalid_value', `${field}: ${message}.`, { field, fault: 'not_known' })

/**
 * The group must be there, enabled and open to the owner, and have what is named. Of a token's own that is
 * closed to its owner by now, it is not told which models it has.
 */
function checkModels(body: TokenPatch, { catalog, mayUse, present }: FieldParts): void {
  if (body.group === undefined && body.models === undefined) return
  const name = body.group ?? present?.group ?? ''
  const group = [...catalog.groups.values()].find((one) => one.name === name)
  const isKept = present !== undefined && present.group === name
  if (isKept && group && !mayUse(group)) {
    if (isSame(body.models ?? present.models, present.models)) return
    throw notKnown(
      'models',
      `group "${name}" is not open to this account any more: choose another group for this token first`,
    )
  }
  if (body.group !== undefined && !(group?.enabled && (isKept || mayUse(group)))) {
    throw notKnown('group', `there is no group "${name}" to choose; /api/v1/groups lists them`)
  }
  const hasNot = (model: string) => !group?.offers.has(model)
  const at = body.models?.findIndex(hasNot) ?? -1
  if (at >= 0) throw notKnown(`models.${at}`, `group "${name}" has no model "${body.models?.[at]}"`)
  const kept = body.models ?? present?.models ?? []
  if (kept.length > 0 && kept.every(hasNot)) {
    const others = 'choose others, or none for all of them'
    throw notKnown(
      'models',
      `group "${name}" has none of the models that this token may use; ${others}`,
    )
  }
}

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one, at) => one === others[at])
