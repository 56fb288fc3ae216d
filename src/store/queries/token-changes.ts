import { freeName } from '../../lib/ids.ts'
import { auditedFields, columnsOf, placesOf, toColumns } from '../../resources/resource.ts'
import {
  type SomeTokenSettings,
  type TokenColumns,
  type TokenSettings,
  tokenFields,
} from '../../resources/token.ts'
import { type TokenView, type TokenWrite, WriteRefused } from '../ports/admin.ts'
import {
  GroupGone,
  maxTokensOfAccount,
  NameTaken,
  type NewToken,
  NotThere,
  type OwnedToken,
  SetByOperator,
  TooMany,
  tokenUndoMs,
} from '../ports/edits.ts'
import { sql } from '../schema/sql.ts'
import {
  type Change,
  checkRevision,
  differences,
  differingColumns,
  note,
  readAudit,
  revisionOf,
  type Values,
} from './changes.ts'
import { requireOpenGroup } from './groups.ts'
import { requireNamed, requireRow } from './names.ts'
import { all, first, insert, run, type Steps, update } from './steps.ts'
import { readToken, readUsed, selectTokens, unused } from './tokens.ts'

interface TokenContext {
  readonly now: number
  /** Tokens that the same write removes: their names are free. */
  readonly leaving: Set<number>
}

function* deleteToken(id: number, now: number): Steps<boolean> {
  const changed = yield* run(
    sql`UPDATE token SET deleted_at = ${now} WHERE id = ${id} AND deleted_at IS NULL`,
  )
  return changed === 1
}

const nameHolder = (accountId: number, name: string) =>
  first(
    sql<{ id: number; key_hint: string }>`SELECT id, key_hint FROM token
      WHERE account_id = ${accountId} AND name = ${name} AND deleted_at IS NULL`,
  )

function* insertToken(
  token: TokenSettings & Pick<TokenWrite, 'keyHash' | 'keySealed' | 'keyHint'>,
  owner: { readonly account_id: number; readonly group_id: number },
  now: number,
): Steps<number> {
  const row = {
    ...{ ...owner, created_at: now },
    ...{ key_hash: token.keyHash, key_sealed: token.keySealed, key_hint: token.keyHint },
    ...(toColumns(tokenFields, token) as TokenColumns),
  }
  return yield* insert('token', row)
}

/** The live token with this key; refuses a key that another account uses. */
function* findOwnToken(token: TokenWrite, accountId: number, asker: string) {
  const found = yield* first(
    sql<{ id: number; account_id: number; group_id: number }>`SELECT id, account_id, group_id
      FROM token WHERE key_hash = ${token.keyHash} AND deleted_at IS NULL`,
  )
  if (found === undefined || found.account_id === accountId) return found
  throw new WriteRefused(`${asker}: its key is in use by another account; give it another key`)
}

function* claimWrittenName(
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

/** Creates or updates the token with this key; the key of a deleted token makes a new one. */
export function* writeToken(token: TokenWrite, context: TokenContext): Steps<void> {
  const asker = `token "${token.name}" of ${token.account}`
  const accountId = yield* requireNamed('account', token.account, asker)
  const groupId = yield* requireNamed('group', token.group, asker)
  const own = yield* findOwnToken(token, accountId, asker)
  const id = own?.id
  if (own?.group_id !== groupId) yield* requireOpenGroup(groupId, accountId, asker)
  yield* claimWrittenName(token, { accountId, id, asker }, context)
  if (id === undefined) {
    yield* insertToken(token, { account_id: accountId, group_id: groupId }, context.now)
    return
  }
  const { keySealed: key_sealed, keyHint: key_hint } = token
  const columns = { ...toColumns(tokenFields, token), group_id: groupId, key_sealed, key_hint }
  yield* update('token', id, columns)
}

/** Marks a token as deleted; refuses a missing one. */
export function* removeTokenById(id: number, now: number): Steps<void> {
  if (yield* deleteToken(id, now)) return
  const known = yield* first(sql`SELECT id FROM token WHERE id = ${id}`)
  throw new WriteRefused(
    known === undefined ? `there is no token with id ${id}` : `token ${id} is deleted already`,
  )
}

/** The token to change; without an owner, of any account. */
type TokenKey = Pick<OwnedToken, 'id'> & Partial<OwnedToken>

const revised = [...columnsOf(tokenFields), 'group'] as const

function* readOwnToken({ id, accountId }: TokenKey) {
  const row = yield* first(selectTokens(sql`AND token.id = ${id}`))
  if (row === undefined || row.accountId !== (accountId ?? row.accountId)) return undefined
  const revision = revisionOf(row, revised)
  return { ...readToken(row), accountId: row.accountId, revision }
}

function* requireToken(token: TokenKey) {
  const found = yield* readOwnToken(token)
  if (found) return found
  throw new NotThere(`there is no token ${token.id}; it may be removed`)
}

function* claimName({ id, accountId }: OwnedToken, name: string): Steps<void> {
  const holder = yield* nameHolder(accountId, name)
  if (holder === undefined || holder.id === id) return
  throw new NameTaken(`there is a token "${name}" already; choose another name`)
}

/** Makes a token; returns its id. */
export function* addToken(change: Change, token: NewToken): Steps<number> {
  const { now } = change
  const { accountId } = token
  yield* requireRow('account', accountId)
  const live = yield* all(
    sql<{ name: string }>`SELECT name FROM token
      WHERE account_id = ${accountId} AND deleted_at IS NULL`,
  )
  const names = live.map(({ name }) => name)
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
  const id = yield* insertToken(made, { account_id: accountId, group_id: groupId }, now)
  const { account } = yield* requireToken({ id, accountId })
  yield* note(change, 'token.create', `token ${id}`, { account, name, group })
  return id
}

/** Changes what is named; without a difference nothing is noted. */
export function* setToken(change: Change, token: TokenKey, fields: SomeTokenSettings): Steps<void> {
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
  yield* update('token', token.id, columns)
  const was = auditedFields(tokenFields, before)
  const is = auditedFields(tokenFields, yield* requireToken(token))
  const changed = differingColumns(was, is)
  if (Object.keys(changed).length === 0) return
  yield* requireWithinOperatorLimits(change, before, { was, changed })
  yield* note(change, 'token.set', `token ${token.id}`, differences(was, changed))
}

export function* removeToken(change: Change, token: OwnedToken): Steps<void> {
  const { now, edit } = change
  const { account, name, revision } = yield* requireToken(token)
  checkRevision(edit.revision, revision, `token ${token.id}`)
  yield* deleteToken(token.id, now)
  yield* note(change, 'token.remove', `token ${token.id}`, { account, name })
}

type RemovedToken = Pick<TokenView, 'name' | 'keyHash' | 'account' | 'group'> & {
  readonly groupId: number
  readonly groupDeletedAt: number | null
}

/** Restores a token that the same actor removed a short while ago. */
export function* restoreToken(change: Change, token: OwnedToken): Steps<void> {
  const { now, edit } = change
  const { id, accountId } = token
  if (yield* readOwnToken(token)) return
  const removed = yield* first(
    sql<RemovedToken>`
      SELECT token.name, token.key_hash AS "keyHash", account.email AS account,
        "group".name AS "group", "group".deleted_at AS "groupDeletedAt", "group".id AS "groupId"
      FROM token JOIN "group" ON "group".id = token.group_id
      JOIN account ON account.id = token.account_id
      WHERE token.id = ${id} AND token.account_id = ${accountId}
        AND token.deleted_at > ${now - tokenUndoMs} AND account.deleted_at IS NULL`,
  )
  const removal = yield* first(
    sql<{ actor: string }>`SELECT actor FROM audit
      WHERE subject = ${`token ${id}`} AND action = 'token.remove' ORDER BY id DESC LIMIT 1`,
  )
  // An owner can't restore what an administrator removed.
  if (removed === undefined || removal?.actor !== edit.actor) {
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
  if (yield* first(sql`SELECT 1 FROM token WHERE key_hash = ${keyHash} AND deleted_at IS NULL`)) {
    throw new WriteRefused(`token ${id} can't be brought back: its key is in use again`)
  }
  yield* run(sql`UPDATE token SET deleted_at = NULL WHERE id = ${id}`)
  yield* note(change, 'token.restore', `token ${id}`, { account, name })
}

/** The live token of an account with what was spent with it by a UTC day. */
export function* findToken(token: OwnedToken, day: string) {
  const found = yield* readOwnToken(token)
  if (found === undefined) return undefined
  const used = yield* readUsed([token.id], day)
  return { ...found, ...(used.get(token.id) ?? unused(day)) }
}

/** The fields that restrain a token, by their names in the audit. */
const names = new Map(
  placesOf(tokenFields).flatMap(({ field: { column, restrains } }) =>
    column && restrains ? [[column, restrains] as const] : [],
  ),
)

/** Whether one value allows a token more than another; null: no limit. */
function isMore(field: string, value: unknown, than: unknown): boolean {
  if (field === 'status') return value === 'active' && than !== 'active'
  return than !== null && (value === null || Number(value) > Number(than))
}

/** Refuses an owner's change that exceeds what another actor has set, by the audit. */
function* requireWithinOperatorLimits(
  { edit }: Change,
  { id, account: owner }: Pick<TokenView, 'id' | 'account'>,
  { was, changed }: { readonly was: Values; readonly changed: Values },
): Steps<void> {
  const more = Object.entries(changed).filter(
    ([field, to]) => names.has(field) && isMore(field, to, was[field]),
  )
  if (more.length === 0 || edit.actor !== owner) return
  const isAdministrator = sql`
    SELECT 1 FROM account WHERE email = ${owner} AND deleted_at IS NULL AND role = 'admin'`
  if (yield* first(isAdministrator)) return
  const entries = yield* readAudit(sql`WHERE subject = ${`token ${id}`}
    AND action IN ('token.create', 'token.set') ORDER BY id DESC`)
  for (const [field, to] of more) {
    let before = was[field]
    for (const { actor, action, detail } of entries) {
      const change = detail[field] as { readonly from: unknown; readonly to: unknown } | undefined
      const isOwn = actor === owner
      const set = action === 'token.create' ? before : change?.to
      if (!isOwn && set !== undefined && isMore(field, to, set)) {
        throw new SetByOperator(`${names.get(field)} was set by an operator: ask for more there`)
      }
      if (!isOwn && set !== undefined) break
      if (action === 'token.set' && change) before = change.from
    }
  }
}
