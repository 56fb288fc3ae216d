import { toColumns } from '../../resources/resource.ts'
import { type TokenColumns, type TokenSettings, tokenFields } from '../../resources/token.ts'
import { type TokenWrite, WriteRefused } from '../ports/admin.ts'
import { build } from './build.ts'
import { requireOpenGroup } from './group-access.ts'
import { requireAccount, requireNamed } from './names.ts'
import { first, run, type Steps } from './steps.ts'

interface TokenContext {
  readonly now: number
  /** Tokens that the same write removes: their names are free. One that is in the way goes now. */
  readonly leaving: Set<number>
}

/** Marks a token as deleted; true when it was live. */
export function* deleteToken(id: number, now: number): Steps<boolean> {
  const query = build.updateTable('token').set({ deleted_at: now })
  return (yield* run(query.where('id', '=', id).where('deleted_at', 'is', null))) === 1
}

/** The live token of an account that has this name. */
export const nameHolder = (accountId: number, name: string) =>
  first(
    build
      .selectFrom('token')
      .select(['id', 'key_hint'])
      .where('account_id', '=', accountId)
      .where('name', '=', name)
      .where('deleted_at', 'is', null),
  )

interface Owner {
  readonly accountId: number
  readonly groupId: number
  readonly now: number
}

/** Stores a new token; returns its id. */
export function* insertToken(
  token: TokenSettings & Pick<TokenWrite, 'keyHash' | 'keySealed' | 'keyHint'>,
  { accountId, groupId, now }: Owner,
): Steps<number> {
  const row = {
    ...{ account_id: accountId, group_id: groupId, created_at: now },
    ...{ key_hash: token.keyHash, key_sealed: token.keySealed, key_hint: token.keyHint },
    // Of all fields, not of some.
    ...(toColumns(tokenFields, token) as TokenColumns),
  }
  return (yield* first(build.insertInto('token').values(row).returning('id')))?.id ?? 0
}

/** The live token with this key; refuses a key that another account uses. */
function* findOwnToken(token: TokenWrite, accountId: number, asker: string) {
  const found = yield* first(
    build
      .selectFrom('token')
      .select(['id', 'account_id', 'group_id'])
      .where('key_hash', '=', token.keyHash)
      .where('deleted_at', 'is', null),
  )
  if (found === undefined || found.account_id === accountId) return found
  throw new WriteRefused(`${asker}: its key is in use by another account; give it another key`)
}

/** Refuses a name that another live token of the account has. */
function* claimName(
  token: TokenWrite,
  { accountId, id, asker }: { accountId: number; id: number | undefined; asker: string },
  { now, leaving }: TokenContext,
): Steps<void> {
  const holder = yield* nameHolder(accountId, token.name)
  if (holder === undefined || holder.id === id) return
  if (leaving.delete(holder.id)) {
    yield* deleteToken(holder.id, now)
    return
  }
  throw new WriteRefused(
    `${asker}: the account has a token of that name with another key (id ${holder.id}, ` +
      `${holder.key_hint}); remove that one first, or choose another name`,
  )
}

/**
 * Creates or updates the token with this key. A deleted token's key may be given out again: that
 * makes a new token, and what was recorded stays with the old one.
 */
export function* writeToken(token: TokenWrite, context: TokenContext): Steps<void> {
  const asker = `token "${token.name}" of ${token.account}`
  const accountId = yield* requireAccount(token.account, asker)
  const groupId = yield* requireNamed('group', token.group, asker)
  const own = yield* findOwnToken(token, accountId, asker)
  const id = own?.id
  if (own?.group_id !== groupId) yield* requireOpenGroup(groupId, accountId, asker)
  yield* claimName(token, { accountId, id, asker }, context)
  if (id === undefined) {
    yield* insertToken(token, { accountId, groupId, now: context.now })
    return
  }
  const { keySealed: key_sealed, keyHint: key_hint } = token
  const columns = { ...toColumns(tokenFields, token), group_id: groupId, key_sealed, key_hint }
  yield* run(build.updateTable('token').set(columns).where('id', '=', id))
}
