import { type GroupColumns, groupFields } from '../../resources/group.ts'
import { columnsOf, fromColumns, toColumns } from '../../resources/resource.ts'
import { WriteRefused } from '../ports/admin.ts'
import type { GroupRow, GroupSettings } from '../ports/catalog.ts'
import { GroupClosed, InUse, NotThere } from '../ports/edits.ts'
import { mayUse } from '../ports/group-access.ts'
import { parseList } from '../schema/columns.ts'
import { sql } from '../schema/sql.ts'
import {
  type Change,
  checkRevision,
  differences,
  differingColumns,
  note,
  revisionOf,
} from './changes.ts'
import { countTokens, findNamed, requireFreeName, requireNamed, requireRow } from './names.ts'
import { all, first, insert, run, type Steps, update } from './steps.ts'

interface Group extends GroupColumns {
  readonly id: number
  readonly name: string
  readonly created_at: number
}

/** Names of live channels by group, in the order that the group names them. */
export function* loadChannelNames(): Steps<Map<number, string[]>> {
  const links = yield* all(
    sql<{ group_id: number; name: string }>`SELECT group_id, channel.name FROM group_channel
      JOIN channel ON channel.id = channel_id WHERE channel.deleted_at IS NULL
      ORDER BY group_id, position`,
  )
  const byGroup = Map.groupBy(links, ({ group_id }) => group_id)
  return new Map(byGroup.entries().map(([id, own]) => [id, own.map(({ name }) => name)]))
}

/** The live rows of groups, as they are stored. */
export const groupRows = (): Steps<readonly Group[]> =>
  all(sql<Group>`SELECT * FROM "group" WHERE deleted_at IS NULL ORDER BY id`)

export function readGroup(row: Group, channels: readonly string[]): GroupRow {
  return {
    id: row.id,
    name: row.name,
    channels,
    ...fromColumns(groupFields, row),
  }
}

export function* loadGroups(): Steps<GroupRow[]> {
  const channels = yield* loadChannelNames()
  const rows = yield* groupRows()
  return rows.map((row) => readGroup(row, channels.get(row.id) ?? []))
}

const groupColumns = (group: Omit<GroupSettings, 'name'>) =>
  toColumns(groupFields, group) as GroupColumns

/** Creates or updates a group, with its channels in the order in which they are named; gives its id. */
export function* writeGroup(group: GroupSettings, now: number): Steps<number> {
  const { name } = group
  const columns = groupColumns(group)
  const found = yield* findNamed('group', name)
  const id = found ?? (yield* insert('group', { name, ...columns, created_at: now }))
  if (found !== undefined) yield* update('group', id, columns)
  yield* linkChannels(id, group)
  return id
}

/** Puts these channels, and no others, into a group; refuses unknown names. */
function* linkChannels(id: number, group: Pick<GroupSettings, 'name' | 'channels'>): Steps<void> {
  yield* run(sql`DELETE FROM group_channel WHERE group_id = ${id}`)
  const asker = `group "${group.name}"`
  const channels = new Set<number>()
  for (const name of group.channels) channels.add(yield* requireNamed('channel', name, asker))
  for (const [position, channelId] of [...channels].entries()) {
    yield* run(sql`INSERT INTO group_channel (group_id, position, channel_id)
      VALUES (${id}, ${position}, ${channelId})`)
  }
}

/** Removes a group, which must have no tokens. */
export function* removeGroupNamed(name: string, now: number): Steps<void> {
  const id = yield* requireNamed('group', name, 'remove group')
  const users = yield* usersOf(id)
  if (users !== undefined) {
    throw new WriteRefused(
      `group "${name}" is in use by ${users}; remove them or move them to another group first`,
    )
  }
  yield* markRemoved(id, now)
}

function* usersOf(id: number): Steps<string | undefined> {
  const count = yield* countTokens('group_id', id, Number.MAX_SAFE_INTEGER)
  return count === 0 ? undefined : `${count} ${count === 1 ? 'token' : 'tokens'}`
}

function* markRemoved(id: number, now: number): Steps<void> {
  yield* run(sql`DELETE FROM group_channel WHERE group_id = ${id}`)
  yield* run(sql`UPDATE "group" SET deleted_at = ${now} WHERE id = ${id}`)
}

const revised = ['name', ...columnsOf(groupFields), 'channels'] as const

/** The revision of a group, its channels and their order included. */
export const groupRevision = (row: Group, channels: readonly string[]): string =>
  revisionOf({ ...row, channels: JSON.stringify(channels) }, revised)

const requireGroup = (id: number) => requireRow<Group>('group', id)

function* requireRevision({ edit }: Change, id: number) {
  const row = yield* requireGroup(id)
  const channels: readonly string[] = (yield* loadChannelNames()).get(id) ?? []
  checkRevision(edit.revision, groupRevision(row, channels), `the group "${row.name}"`)
  return { ...row, channels }
}

export function* addGroup(change: Change, group: GroupSettings): Steps<number> {
  const { name, channels, multiplierMillionths } = group
  yield* requireFreeName('group', name)
  const id = yield* writeGroup(group, change.now)
  const detail = { id, channels, multiplier_millionths: multiplierMillionths }
  yield* note(change, 'group.create', `group ${name}`, detail)
  return id
}

export function* setGroup(change: Change, id: number, group: GroupSettings): Steps<void> {
  const row = yield* requireRevision(change, id)
  const { name, channels } = group
  if (name !== row.name) yield* requireFreeName('group', name)
  const changed = differingColumns(row, { name, ...groupColumns(group), channels })
  if (Object.keys(changed).length === 0) return
  const { channels: linked, ...columns } = changed
  if (Object.keys(columns).length > 0) yield* update('group', id, columns)
  if (linked) yield* linkChannels(id, group)
  yield* note(change, 'group.set', `group ${row.name}`, differences(row, changed))
}

/** Removes a group; gives how many of its tokens went to another one. */
export function* removeGroup(
  change: Change,
  id: number,
  moveTokensTo: number | undefined,
): Steps<number> {
  const row = yield* requireRevision(change, id)
  const moved = yield* moveTokens(row, moveTokensTo)
  yield* markRemoved(id, change.now)
  yield* note(change, 'group.remove', `group ${row.name}`, { id, ...moved.detail })
  return moved.count
}

/** Moves the live tokens of a group to another one; throws `InUse` where none is given. */
function* moveTokens({ id, name }: Group, to: number | undefined) {
  if (to === undefined) {
    const users = yield* usersOf(id)
    if (users === undefined) return { count: 0, detail: {} }
    throw new InUse(
      `the group "${name}" is in use by ${users}; say to which group they go (move_tokens_to), or ` +
        'remove them first',
    )
  }
  if (to === id) throw new NotThere(`the tokens of "${name}" can't go to that group itself`)
  const target = yield* requireGroup(to)
  yield* requireOpenToOwners(to, id)
  const count = yield* run(
    sql`UPDATE token SET group_id = ${to} WHERE group_id = ${id} AND deleted_at IS NULL`,
  )
  return { count, detail: { tokens: count, moved_to: target.name } }
}

function* readAccess(id: number) {
  const row = yield* first(
    sql<{ name: string; accounts: string | null }>`SELECT name, accounts FROM "group"
      WHERE id = ${id}`,
  )
  const { name = '', accounts = null } = row ?? {}
  return { name, accounts: accounts === null ? null : new Set(parseList(accounts)) }
}

/** Refuses a group that an account may not use. `asker` begins the message: `token "laptop"`. */
export function* requireOpenGroup(id: number, accountId: number, asker: string): Steps<void> {
  const { name, accounts } = yield* readAccess(id)
  if (accounts === null) return
  const row = yield* first(
    sql<{ email: string; verified: number }>`SELECT email, email_verified AS verified FROM account
      WHERE id = ${accountId}`,
  )
  if (row === undefined) return
  const { email, verified } = row
  if (mayUse(accounts, { email, isVouched: verified === 1 })) return
  const isNamed = accounts.has(email.toLowerCase())
  throw new GroupClosed(
    isNamed
      ? `${asker}: the group "${name}" names ${email}, but that account registered itself, and ` +
          'its address is not vouched for (tollgate account set … --vouch)'
      : `${asker}: the group "${name}" is not open to ${email}; choose another group, or name the ` +
          'account among those that may use it (tollgate group set … --accounts)',
  )
}

/** Refuses to move the tokens of a group where an owner may not use the new group. */
function* requireOpenToOwners(id: number, formerGroupId: number): Steps<void> {
  const { accounts } = yield* readAccess(id)
  if (accounts === null) return
  const owners = yield* all(
    sql<{ account_id: number }>`SELECT DISTINCT account_id FROM token
      WHERE group_id = ${formerGroupId} AND deleted_at IS NULL`,
  )
  for (const { account_id } of owners) {
    yield* requireOpenGroup(id, account_id, 'its tokens can not go there')
  }
}
