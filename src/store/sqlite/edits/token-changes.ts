import { freeName } from '../../../lib/ids.ts'
import { WriteRefused } from '../../ports/admin.ts'
import { NameTaken, NotThere } from '../../ports/edits.ts'
import {
  maxTokensOfAccount,
  type NewToken,
  type OwnedToken,
  type TokenFields,
  tokenUndoMs,
} from '../../ports/token-edits.ts'
import { readToken, selectTokens } from '../admin.ts'
import { requireNamed } from '../names.ts'
import type { Queries } from '../queries.ts'
import { deleteToken } from '../write-accounts.ts'
import { type Change, note } from './change.ts'
import { differences, differingColumns } from './differences.ts'
import { checkRevision, revisionOf } from './revision.ts'
import { audited } from './token-audit.ts'
import { tokenColumns } from './token-columns.ts'

/** The live token of an account. */
export function readOwnToken(queries: Queries, { id, accountId }: OwnedToken) {
  const query = selectTokens(queries)
    .select('token.account_id as accountId')
    .where('token.id', '=', id)
    .where('token.account_id', '=', accountId)
  const row = queries.first(query)
  if (row === undefined) return undefined
  const revised = ['name', 'group', 'status', 'models', 'ipAllow', 'strict', 'expiresAt'] as const
  const figures = ['totalNano', 'dayNano', 'monthNano', 'rpm', 'tpm', 'concurrency'] as const
  return { ...readToken(row), revision: revisionOf(row, [...revised, ...figures]) }
}

function requireToken(queries: Queries, token: OwnedToken) {
  const found = readOwnToken(queries, token)
  if (found) return found
  throw new NotThere(`there is no token ${token.id}; it may be removed`)
}

/** Refuses a name that another live token of the account has. */
function claimName({ build, first }: Queries, { id, accountId }: OwnedToken, name: string): void {
  const holder = first(
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

const namesOf = ({ build, all }: Queries, accountId: number) =>
  all(
    build
      .selectFrom('token')
      .select('name')
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null),
  ).map(({ name }) => name)

/** Makes a token; returns its id. */
export function addToken(change: Change, token: NewToken): number {
  const { queries, now } = change
  const { build, first } = queries
  const { accountId } = token
  const owner = build.selectFrom('account').select('id').where('id', '=', accountId)
  if (!first(owner.where('deleted_at', 'is', null))) {
    throw new NotThere(`there is no account ${accountId}; it may be removed`)
  }
  const names = namesOf(queries, accountId)
  if (names.length >= maxTokensOfAccount) {
    throw new WriteRefused(
      `an account can have ${maxTokensOfAccount} tokens at most; remove some that are not used`,
    )
  }
  const name = token.name ?? freeName('token', names)
  claimName(queries, { id: 0, accountId }, name)
  const { group, keyHash, keySealed, keyHint, ...fields } = token
  const row = {
    ...tokenColumns(fields),
    account_id: accountId,
    group_id: requireNamed(queries, 'group', group, `token "${name}"`),
    ...{ name, key_hash: keyHash, key_sealed: keySealed, key_hint: keyHint },
    ...{ status: 'active' as const, created_at: now, strict: fields.isStrict ? 1 : 0 },
    ...{ models: JSON.stringify(token.models), ip_allow: JSON.stringify(token.ipAllow) },
  }
  const id = first(build.insertInto('token').values(row).returning('id'))?.id ?? 0
  const { account } = requireToken(queries, { id, accountId })
  note(change, 'token.create', `token ${id}`, { account, name, group })
  return id
}

/** Changes what is named; without a difference nothing is noted. */
export function setToken(change: Change, token: OwnedToken, fields: TokenFields): void {
  const { queries, edit } = change
  const before = requireToken(queries, token)
  checkRevision(edit.revision, before.revision, `the token ${token.id}`)
  if (fields.name !== undefined) claimName(queries, token, fields.name)
  const { group } = fields
  const asker = `token "${before.name}"`
  const columns = {
    ...tokenColumns(fields),
    ...(group !== undefined && { group_id: requireNamed(queries, 'group', group, asker) }),
  }
  if (Object.keys(columns).length === 0) return
  queries.run(queries.build.updateTable('token').set(columns).where('id', '=', token.id))
  const was = audited(before)
  const changed = differingColumns(was, audited(requireToken(queries, token)))
  if (Object.keys(changed).length === 0) return
  note(change, 'token.set', `token ${token.id}`, differences(was, changed))
}

/** Marks a token as removed. */
export function removeToken(change: Change, token: OwnedToken): void {
  const { queries, now, edit } = change
  const { account, name, revision } = requireToken(queries, token)
  checkRevision(edit.revision, revision, `token ${token.id}`)
  deleteToken(queries, token.id, now)
  note(change, 'token.remove', `token ${token.id}`, { account, name })
}

/** Who removed a token by hand: what an administrator took away its owner does not bring back. */
const remover = ({ build, first }: Queries, id: number) =>
  first(
    build
      .selectFrom('audit')
      .select('actor')
      .where('subject', '=', `token ${id}`)
      .where('action', '=', 'token.remove')
      .orderBy('id', 'desc')
      .limit(1),
  )?.actor

/** Brings back a token that the same person removed a short while ago. */
export function restoreToken(change: Change, token: OwnedToken): void {
  const { queries, now, edit } = change
  const { build, first, run } = queries
  const { id, accountId } = token
  if (readOwnToken(queries, token)) return
  const removed = first(
    build
      .selectFrom('token')
      .innerJoin('group', 'group.id', 'token.group_id')
      .innerJoin('account', 'account.id', 'token.account_id')
      .select(['token.name as name', 'token.key_hash as keyHash', 'account.email as account'])
      .where('token.id', '=', id)
      .where('token.account_id', '=', accountId)
      .where('token.deleted_at', '>', now - tokenUndoMs)
      .where('group.deleted_at', 'is', null)
      .where('account.deleted_at', 'is', null),
  )
  if (removed === undefined || remover(queries, id) !== edit.actor) {
    throw new NotThere(
      `token ${id} can't be brought back: you did not remove it within the last 10 minutes`,
    )
  }
  const { name, keyHash, account } = removed
  claimName(queries, token, name)
  const live = build.selectFrom('token').select('id').where('key_hash', '=', keyHash)
  if (first(live.where('deleted_at', 'is', null))) {
    throw new WriteRefused(`token ${id} can't be brought back: its key is in use again`)
  }
  run(build.updateTable('token').set({ deleted_at: null }).where('id', '=', id))
  note(change, 'token.restore', `token ${id}`, { account, name })
}
