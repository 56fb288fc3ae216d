import type { Catalog, Group } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import { createTokenKey, keyHint } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import type { SecretBox } from '../../lib/secrets.ts'
import { initialValues, onlyNamed, toWritten } from '../../resources/resource.ts'
import { type SomeTokenSettings, type TokenSettings, tokenFields } from '../../resources/token.ts'
import type { TokenView } from '../../store/ports/admin.ts'
import type { EditableToken } from '../../store/ports/edits.ts'
import { mayUse } from '../../store/ports/group-access.ts'
import type { Store } from '../../store/ports/store.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { type Checked, edit, requireRight } from '../refusals.ts'
import { viewDetails } from './lists.ts'
import type { IssuedToken, NewToken, TokenDetails, TokenPatch } from './schema.ts'

/** The account whose tokens are meant, and the e-mail of the caller. */
export interface TokenScope {
  readonly accountId: number
  readonly actor: string
}

export interface TokenParts {
  readonly store: Pick<Store, 'edits'>
  readonly secrets: SecretBox
  readonly catalog: () => Catalog
  readonly clock: Clock
  readonly log: Logger
  readonly check: (entry: object) => Checked<TokenSettings>
  readonly isInFile: (token: TokenView) => boolean
  /** Throws unless the caller proves to own the session's account. */
  readonly prove: (who: SignedIn, password: string | null) => Promise<void>
  /** Called after each change, so that the gateway applies it. */
  readonly tokenChanged: (keyHash: string) => void
}

export type TokenService = ReturnType<typeof createTokenService>

/** The tokens of one account; those of others are 404. Refusals are thrown as `ApiError`. */
export function createTokenService(parts: TokenParts) {
  const { store, secrets, clock, log, catalog, check, tokenChanged } = parts
  const { edits } = store

  async function require(accountId: number, id: number) {
    const token = await edits.findToken({ id, accountId })
    if (token) return token
    throw new ApiError('not_found', `There is no token ${id}.`)
  }

  const view = (token: EditableToken) => viewDetails(token, parts.isInFile(token))

  const find = async ({ accountId }: TokenScope, id: number): Promise<TokenDetails> =>
    view(await require(accountId, id))

  /** Returns whether the account may use a group; a removed account is refused later. */
  async function usableBy(accountId: number) {
    const owner = await edits.findAccount(accountId)
    return ({ accounts }: Group) => owner === undefined || mayUse(accounts, owner)
  }

  const make = <Result>(work: () => Promise<Result>, present?: () => Promise<unknown>) =>
    edit(work, { field: 'name', ...(present && { present }) })

  /** Applies a changed token and returns it. */
  async function follow({ accountId }: TokenScope, id: number): Promise<TokenDetails> {
    const token = await require(accountId, id)
    tokenChanged(token.keyHash)
    return view(token)
  }

  return {
    find,
    async issue(scope: TokenScope, token: NewToken): Promise<IssuedToken> {
      const { accountId, actor } = scope
      const parts = { check, now: clock(), catalog: catalog(), mayUse: await usableBy(accountId) }
      const fields = readFields(token, parts)
      const { name: _, ...usual } = initialValues(tokenFields)
      const key = createTokenKey()
      const made = {
        ...{ accountId, ...usual, ...fields },
        keyHash: secrets.keyedHash(key),
        keySealed: secrets.seal(key),
        keyHint: keyHint(key),
        budget: { ...usual.budget, ...fields.budget },
        limits: { ...usual.limits, ...fields.limits },
      }
      const id = await make(() => edits.addToken(made, { actor }))
      return { token: await find(scope, id), key }
    },
    async change(scope: TokenScope, id: number, { revision, ...patch }: TokenPatch) {
      const { accountId, actor } = scope
      const present = await require(accountId, id)
      const owner = { mayUse: await usableBy(accountId) }
      const parts = { check, now: clock(), catalog: catalog(), present, ...owner }
      const fields = readFields(patch, parts)
      await make(
        () => edits.setToken({ id, accountId }, fields, { actor, revision }),
        () => find(scope, id),
      )
      return follow(scope, id)
    },
    async remove({ accountId, actor }: TokenScope, id: number) {
      const { keyHash } = await require(accountId, id)
      await make(() => edits.removeToken({ id, accountId }, { actor }))
      tokenChanged(keyHash)
      return null
    },
    async restore(scope: TokenScope, id: number) {
      const { accountId, actor } = scope
      await make(() => edits.restoreToken({ id, accountId }, { actor }))
      return follow(scope, id)
    },
    /** The key, for a caller who proves their identity by password or, without one, by a fresh session. */
    async reveal(who: SignedIn, id: number, password: string | null) {
      const { accountId } = who
      const token = await require(accountId, id)
      try {
        await parts.prove(who, password)
      } catch (error) {
        const reason = error instanceof ApiError ? error.reason : 'internal'
        log.warn('a key was not shown', { account: accountId, token: id, reason })
        throw error
      }
      log.info('a key was shown again', { account: accountId, token: id })
      return secrets.open(token.keySealed)
    },
  }
}

interface FieldParts {
  readonly now: number
  /** Applies the rules of tollgate.yaml to an entry of it. */
  readonly check: (entry: object) => Checked<TokenSettings>
  readonly catalog: Catalog
  readonly mayUse: (group: Group) => boolean
  /** The token before the change; undefined: it is new. */
  readonly present?: { readonly group: string; readonly models: readonly string[] }
}

/** Validates a token's fields; throws an `ApiError` that names the field. */
export function readFields(body: TokenPatch, parts: FieldParts): SomeTokenSettings {
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
 * The group must exist, be enabled and open to the owner, and have the models. Refusals do not reveal the
 * models of a token's group that was closed to its owner.
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
