import { freeName } from '../../../lib/ids.ts'
import { auditedFields, columnsOf, toColumns } from '../../../resources/resource.ts'
import { tokenFields } from '../../../resources/token.ts'
import { WriteRefused } from '../../ports/admin.ts'
import { GroupGone, NameTaken, NotThere, TooMany } from '../../ports/edits.ts'
import {
  maxTokensOfAccount,
  type NewToken,
  type OwnedToken,
  type TokenFields,
  tokenUndoMs,
} from '../../ports/token-edits.ts'
import { readToken, selectTokens } from '../admin.ts'
import { build } from '../build.ts'
import { requireOpenGroup } from '../group-access.ts'
import { requireNamed } from '../names.ts'
import { all, first, run, type Steps } from '../steps.ts'
import { deleteToken, insertToken, nameHolder } from '../write-tokens.ts'
import { type Change, note } from './change.ts'
import { differences, differingColumns } from './differences.ts'
import { keepOperatorsWord } from './operators-word.ts'
import { checkRevision, revisionOf } from './revision.ts'

/** A token that is to be changed; without an owner, whoever's it is. */
type Meant = Pick<OwnedToken, 'id'> & Partial<OwnedToken>

const revised = [...columnsOf(tokenFields), 'group'] as const

/** The live token of an account. */
export function* readOwnToken({ id, accountId }: Meant) {
  let query = selectTokens().select('token.account_id as accountId').where('token.id', '=', id)
  if (accountId !== undefined) query = query.where('token.account_id', '=', accountId)
  const row = yield* first(query)
  if (row === undefined) return undefined
  const revision = revisionOf(row, revised)
  return { ...readToken(row), accountId: row.accountId, revision }
}

function* requireToken(token: Meant) {
  const found = yield* readOwnToken(token)
  if (found) return found
  throw new NotThere(`there is no token ${token.id}; it may be removed`)
}

/** Refuses a name that another live token of the account has. */
function* claimName({ id, accountId }: OwnedToken, name: string): Steps<void> {
  const holder = yield* nameHolder(accountId, name)
  if (holder === undefined || holder.id === id) return
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
  const { group } = token
  const asker = `token "${name}"`
  const groupId = yield* requireNamed('group', group, asker)
  yield* requireOpenGroup(groupId, accountId, asker)
  const made = { ...token, name, status: 'active' } as const
  const id = yield* insertToken(made, { accountId, groupId, now })
  const { account } = yield* requireToken({ id, accountId })
  yield* note(change, 'token.create', `token ${id}`, { account, name, group })
  return id
}

/** Changes what is named; without a difference nothing is noted. */
export function* setToken(change: Change, token: Meant, fields: TokenFields): Steps<void> {
  const { edit } = change
  const before = yield* requireToken(token)
  checkRevision(edit.revision, before.revision, `the token ${token.id}`)
  if (fields.name !== undefined) yield* claimName(before, fields.name)
  const { group } = fields
  const asker = `token "${before.name}"`
  const groupId = group === undefined ? undefined : yield* requireNamed('group', group, asker)
  if (groupId !== undefined && group !== before.group) {
    yield* requireOpenGroup(groupId, before.accountId, asker)
  }
  const columns = {
    ...toColumns(tokenFields, fields),
    ...(groupId !== undefined && { group_id: groupId }),
  }
  if (Object.keys(columns).length === 0) return
  yield* run(build.updateTable('token').set(columns).where('id', '=', token.id))
  const was = auditedFields(tokenFields, before)
  const is = auditedFields(tokenFields, yield* requireToken(token))
  const changed = differingColumns(was, is)
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
