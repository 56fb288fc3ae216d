import { freeName } from '../../../lib/ids.ts'
import { WriteRefused } from '../../ports/admin.ts'
import {
  GroupGone,
  maxTokensOfAccount,
  NameTaken,
  type NewToken,
  NotThere,
  type OwnedToken,
  type TokenFields,
  TooMany,
  tokenUndoMs,
} from '../../ports/edits.ts'
import { readToken, selectTokens } from '../admin.ts'
import { build } from '../build.ts'
import { requireOpenGroup } from '../group-access.ts'
import { requireNamed } from '../names.ts'
import { all, first, run, type Steps } from '../steps.ts'
import { deleteToken } from '../write-accounts.ts'
import { type Change, note } from './change.ts'
import { differences, differingColumns } from './differences.ts'
import { keepOperatorsWord } from './operators-word.ts'
import { checkRevision, revisionOf } from './revision.ts'
import { audited } from './token-audit.ts'
import { tokenColumns } from './token-columns.ts'

/** The live token of an account. */
export function* readOwnToken({ id, accountId }: OwnedToken) {
  const query = selectTokens()
    .select('token.account_id as accountId')
    .where('token.id', '=', id)
    .where('token.account_id', '=', accountId)
  const row = yield* first(query)
  if (row === undefined) return undefined
  const revised = ['name', 'group', 'status', 'models', 'ipAllow', 'strict', 'expiresAt'] as const
  const figures = ['totalNano', 'dayNano', 'monthNano', 'rpm', 'tpm', 'concurrency'] as const
  return { ...readToken(row), revision: revisionOf(row, [...revised, ...figures]) }
}

function* requireToken(token: OwnedToken) {
  const found = yield* readOwnToken(token)
  if (found) return found
  throw new NotThere(`there is no token ${token.id}; it may be removed`)
}

/** Refuses a name that another live token of the account has. */
function* claimName({ id, accountId }: OwnedToken, name: string): Steps<void> {
  const holder = yield* first(
    build
      .selectFrom('token')
      .select('id')
      .where('account_id', '=', accountId)
      .where('name', '=', name)
      .where('deleted_at', 'is', null)
      .where('id', '<>', id),
  )
  if (holder === undefined) return
  throw new NameTaken(`there is a token "${name}" already; choose another name`)
}

function* namesOf(accountId: number): Steps<string[]> {
  const rows = yield* all(
    build
      .selectFrom('token')
      .select('name')
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null),
  )
  return rows.map(({ name }) => name)
}

/** Makes a token; returns its id. */
export function* addToken(change: Change, token: NewToken): Steps<number> {
  const { now } = change
  const { accountId } = token
  const owner = build.selectFrom('account').select('id').where('id', '=', accountId)
  if (!(yield* first(owner.where('deleted_at', 'is', null)))) {
    throw new NotThere(`there is no account ${accountId}; it may be removed`)
  }
  const names = yield* namesOf(accountId)
  if (names.length >= maxTokensOfAccount) {
    throw new TooMany(
      `an account can have ${maxTokensOfAccount} tokens at most; remove some that are not used`,
    )
  }
  const name = token.name ?? freeName('token', names)
  yield* claimName({ id: 0, accountId }, name)
  const { group, keyHash, keySealed, keyHint, ...fields } = token
  const asker = `token "${name}"`
  const groupId = yield* requireNamed('group', group, asker)
  yield* requireOpenGroup(groupId, accountId, asker)
  const row = {
    ...tokenColumns(fields),
    account_id: accountId,
    group_id: groupId,
    ...{ name, key_hash: keyHash, key_sealed: keySealed, key_hint: keyHint },
    ...{ status: 'active' as const, created_at: now, strict: fields.isStrict ? 1 : 0 },
    ...{ models: JSON.stringify(token.models), ip_allow: JSON.stringify(token.ipAllow) },
  }
  const made = yield* first(build.insertInto('token').values(row).returning('id'))
  const id = made?.id ?? 0
  const { account } = yield* requireToken({ id, accountId })
  yield* note(change, 'token.create', `token ${id}`, { account, name, group })
  return id
}

/** Changes what is named; without a difference nothing is noted. */
export function* setToken(change: Change, token: OwnedToken, fields: TokenFields): Steps<void> {
  const { edit } = change
  const before = yield* requireToken(token)
  checkRevision(edit.revision, before.revision, `the token ${token.id}`)
  if (fields.name !== undefined) yield* claimName(token, fields.name)
  const { group } = fields
  const asker = `token "${before.name}"`
  const groupId = group === undefined ? undefined : yield* requireNamed('group', group, asker)
  if (groupId !== undefined && group !== before.group) {
    yield* requireOpenGroup(groupId, token.accountId, asker)
  }
  const columns = { ...tokenColumns(fields), ...(groupId !== undefined && { group_id: groupId }) }
  if (Object.keys(columns).length === 0) return
  yield* run(build.updateTable('token').set(columns).where('id', '=', token.id))
  const was = audited(before)
  const changed = differingColumns(was, audited(yield* requireToken(token)))
  if (Object.keys(changed).length === 0) return
  yield* keepOperatorsWord(change, before, { was, changed })
  yield* note(change, 'token.set', `token ${token.id}`, differences(was, changed))
}

/** Marks a token as removed. */
export function* removeToken(change: Change, token: OwnedToken): Steps<void> {
  const { now, edit } = change
  const { account, name, revision } = yield* requireToken(token)
  checkRevision(edit.revision, revision, `token ${token.id}`)
  yield* deleteToken(token.id, now)
  yield* note(change, 'token.remove', `token ${token.id}`, { account, name })
}

/** Who removed a token by hand: what an administrator took away its owner does not bring back. */
function* remover(id: number): Steps<string | undefined> {
  const removal = yield* first(
    build
      .selectFrom('audit')
      .select('actor')
      .where('subject', '=', `token ${id}`)
      .where('action', '=', 'token.remove')
      .orderBy('id', 'desc')
      .limit(1),
  )
  return removal?.actor
}

/** Brings back a token that the same person removed a short while ago. */
export function* restoreToken(change: Change, token: OwnedToken): Steps<void> {
  const { now, edit } = change
  const { id, accountId } = token
  if (yield* readOwnToken(token)) return
  const removed = yield* first(
    build
      .selectFrom('token')
      .innerJoin('group', 'group.id', 'token.group_id')
      .innerJoin('account', 'account.id', 'token.account_id')
      .select(['token.name as name', 'token.key_hash as keyHash', 'account.email as account'])
      .select(['group.name as group', 'group.deleted_at as groupDeletedAt', 'group.id as groupId'])
      .where('token.id', '=', id)
      .where('token.account_id', '=', accountId)
      .where('token.deleted_at', '>', now - tokenUndoMs)
      .where('account.deleted_at', 'is', null),
  )
  if (removed === undefined || (yield* remover(id)) !== edit.actor) {
    throw new NotThere(
      `token ${id} can't be brought back: you did not remove it within the last 10 minutes`,
    )
  }
  const { name, keyHash, account, group } = removed
  if (removed.groupDeletedAt !== null) {
    throw new GroupGone(`token ${id} can't be brought back: its group "${group}" was removed`)
  }
  yield* requireOpenGroup(removed.groupId, accountId, `token ${id} can't be brought back`)
  yield* claimName(token, name)
  const live = build.selectFrom('token').select('id').where('key_hash', '=', keyHash)
  if (yield* first(live.where('deleted_at', 'is', null))) {
    throw new WriteRefused(`token ${id} can't be brought back: its key is in use again`)
  }
  yield* run(build.updateTable('token').set({ deleted_at: null }).where('id', '=', id))
  yield* note(change, 'token.restore', `token ${id}`, { account, name })
}
