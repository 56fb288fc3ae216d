import { isoTime } from '../../lib/format.ts'
import { freeName } from '../../lib/ids.ts'
import type { TokenFields } from '../ports/admin.ts'
import { type TokenChange, type TokenView, type TokenWrite, WriteRefused } from '../ports/admin.ts'
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
import type { TokenBudget } from '../ports/tokens.ts'
import { addAudit, selectAudit, toAuditEntry } from './audit.ts'
import {
  type Change,
  checkRevision,
  differences,
  differingColumns,
  given,
  note,
  revisionOf,
  shownOfRow,
  type Values,
} from './changes.ts'
import { limitsOf } from './columns.ts'
import { requireOpenGroup } from './groups.ts'
import { requireAccount, requireNamed } from './names.ts'
import { all, build, first, run, type Steps } from './steps.ts'
import { readToken, readUsed, selectTokens, unused } from './tokens.ts'

/** What else a set of changes does to tokens. */
interface TokenContext {
  readonly now: number
  /** Tokens that the same write removes: their names are free. One that is in the way goes now. */
  readonly leaving: Set<number>
}

/** Marks a token as deleted; true when it was live. */
function* deleteToken(id: number, now: number): Steps<boolean> {
  const query = build.updateTable('token').set({ deleted_at: now })
  return (yield* run(query.where('id', '=', id).where('deleted_at', 'is', null))) === 1
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
function* claimWrittenName(
  token: TokenWrite,
  { accountId, id, asker }: { accountId: number; id: number | undefined; asker: string },
  { now, leaving }: TokenContext,
): Steps<void> {
  const holder = yield* first(
    build
      .selectFrom('token')
      .select(['id', 'key_hint'])
      .where('account_id', '=', accountId)
      .where('name', '=', token.name)
      .where('deleted_at', 'is', null),
  )
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
  yield* claimWrittenName(token, { accountId, id, asker }, context)
  const columns = {
    ...wholeColumns(token),
    ...{ group_id: groupId, key_sealed: token.keySealed, key_hint: token.keyHint },
  }
  if (id !== undefined) {
    yield* run(build.updateTable('token').set(columns).where('id', '=', id))
    return
  }
  const owner = { account_id: accountId, key_hash: token.keyHash, created_at: context.now }
  yield* run(build.insertInto('token').values({ ...columns, ...owner }))
}

/** Changes what is named of a token, and nothing else. Call it in a transaction. */
export function* changeToken({ id, actor, ...fields }: TokenChange, now: number): Steps<void> {
  const before = yield* first(
    build.selectFrom('token').selectAll().where('id', '=', id).where('deleted_at', 'is', null),
  )
  if (before === undefined) throw new WriteRefused(`there is no token ${id}; it may be removed`)
  const changed = differingColumns(before, tokenColumns(fields))
  if (Object.keys(changed).length === 0) return
  yield* run(build.updateTable('token').set(changed).where('id', '=', id))
  const detail = differences(before, changed, shownOfRow)
  yield* addAudit({ createdAt: now, actor, action: 'token.set', subject: `token ${id}`, detail })
}

/** Marks a token as deleted; refuses one that is not there. */
export function* removeTokenById(id: number, now: number): Steps<void> {
  if (yield* deleteToken(id, now)) return
  const known = yield* first(build.selectFrom('token').select('id').where('id', '=', id))
  throw new WriteRefused(
    known === undefined ? `there is no token with id ${id}` : `token ${id} is deleted already`,
  )
}

/** The live token of an account. */
function* readOwnToken({ id, accountId }: OwnedToken) {
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
    ...wholeColumns({ ...fields, name, status: 'active' }),
    ...{ account_id: accountId, group_id: groupId, created_at: now },
    ...{ key_hash: keyHash, key_sealed: keySealed, key_hint: keyHint },
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

/** The live token of an account with what was spent with it by a UTC day. */
export function* findToken(token: OwnedToken, day: string) {
  const found = yield* readOwnToken(token)
  if (found === undefined) return undefined
  const used = yield* readUsed([token.id], day)
  return { ...found, ...(used.get(token.id) ?? unused(day)) }
}

/** The columns of a whole token; its group and its key apart. */
const wholeColumns = (token: Omit<TokenWrite, 'account' | 'group' | `key${string}`>) => ({
  ...{ name: token.name, status: token.status, expires_at: token.expiresAt },
  ...{ models: JSON.stringify(token.models), ip_allow: JSON.stringify(token.ipAllow) },
  strict: token.isStrict ? 1 : 0,
  ...budgetColumns(token.budget),
  ...limitsOf(token.limits),
})

/** The columns of the fields that are given; the group, by its id, apart. */
function tokenColumns({ models, ipAllow, isStrict, budget, limits, ...fields }: TokenFields) {
  return given({
    ...{ name: fields.name, status: fields.status, expires_at: fields.expiresAt },
    models: models && JSON.stringify(models),
    ip_allow: ipAllow && JSON.stringify(ipAllow),
    strict: isStrict === undefined ? undefined : Number(isStrict),
    ...(budget && budgetColumns(budget)),
    ...{ rpm: limits?.rpm, tpm: limits?.tpm, concurrency: limits?.concurrency },
  })
}

const budgetColumns = <Budget extends Partial<TokenBudget>>(budget: Budget) => ({
  budget_total_nano: budget.totalNano as Budget['totalNano'],
  budget_day_nano: budget.dayNano as Budget['dayNano'],
  budget_month_nano: budget.monthNano as Budget['monthNano'],
})

/** What the audit tells of a token: nothing that is secret. */
export function audited({ name, group, status, models, ipAllow, ...more }: TokenView) {
  const { isStrict, expiresAt, budget, limits } = more
  return {
    ...{ name, group, status, models, ip_allow: ipAllow, strict: isStrict, ...limits },
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    ...budgetColumns(budget),
  }
}

/** What keeps a token small, with what its owner is told that it is. */
const names = new Map([
  ['status', 'its status'],
  ...['rpm', 'tpm', 'concurrency'].map((limit) => [limit, `its limit ${limit}`] as const),
  ...['total', 'day', 'month'].map(
    (part) => [`budget_${part}_nano`, `its ${part} budget`] as const,
  ),
])

/** Whether a token may do more by one value than by another; null is without a limit. */
function isMore(field: string, value: unknown, than: unknown): boolean {
  if (field === 'status') return value === 'active' && than !== 'active'
  return than !== null && (value === null || Number(value) > Number(than))
}

/**
 * Refuses to the owner of a token what gives it more than somebody else has set by hand, or in the file:
 * the audit knows who did. `was` and `changed` are as it tells them.
 */
function* keepOperatorsWord(
  { edit }: Change,
  { id, account: owner }: Pick<TokenView, 'id' | 'account'>,
  { was, changed }: { readonly was: Values; readonly changed: Values },
): Steps<void> {
  const more = Object.entries(changed).filter(
    ([field, to]) => names.has(field) && isMore(field, to, was[field]),
  )
  if (more.length === 0 || edit.actor !== owner) return
  const account = build.selectFrom('account').select('role').where('email', '=', owner)
  if ((yield* first(account.where('deleted_at', 'is', null)))?.role === 'admin') return
  const about = selectAudit().where('subject', '=', `token ${id}`)
  const rows = yield* all(about.where('action', 'in', ['token.create', 'token.set']))
  const entries = rows.map(toAuditEntry).sort((a, b) => b.id - a.id)
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
