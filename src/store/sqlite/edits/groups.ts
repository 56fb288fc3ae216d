import { type Selectable, sql } from 'kysely'
import type { GroupWrite } from '../../ports/admin.ts'
import { type Edit, InUse, NameTaken, NotThere } from '../../ports/edits.ts'
import type { GroupEdits, RemoveGroup } from '../../ports/group-edits.ts'
import { addAudit } from '../audit.ts'
import { loadChannelNames } from '../catalog.ts'
import { findNamed } from '../names.ts'
import type { Queries } from '../queries.ts'
import type { GroupTable } from '../tables.ts'
import { groupColumns, linkChannels } from '../write-catalog.ts'
import { differences, differingColumns } from './differences.ts'
import type { EditParts } from './edits.ts'
import { checkRevision, revisionOf } from './revision.ts'

type Row = Selectable<GroupTable>

/** Changes of groups by hand. */
export function createGroupEdits({ db, queries, clock, access }: EditParts): GroupEdits {
  const create = db.transaction(createGroup)
  const change = db.transaction(changeGroup)
  const remove = db.transaction(removeGroup)
  return {
    createGroup: (group, edit) =>
      access(() => create.immediate(queries, group, { ...edit, now: clock() })),
    changeGroup: (id, group, edit) =>
      access(() => change.immediate(queries, id, group, { ...edit, now: clock() })),
    removeGroup: (id, edit) =>
      access(() => remove.immediate(queries, id, { ...edit, now: clock() })),
  }
}

interface Now {
  readonly now: number
}

const editable = [
  ...['name', 'status', 'description', 'platform', 'multiplier_millionths', 'models'],
  ...['long_context_pricing', 'on_disconnect', 'rpm', 'tpm', 'concurrency', 'channels'],
] as readonly (keyof Row | 'channels')[]

/** Tells states of a group apart, its channels and their order included. */
export const groupRevision = (row: Row, channels: readonly string[]): string =>
  revisionOf({ ...row, channels: JSON.stringify(channels) }, editable)

/** Live tokens of a group, counted through an index and no further than asked for. */
export function countTokens({ build, first }: Queries, groupId: number, atMost: number): number {
  const rows = build
    .selectFrom('token')
    .select(sql`1`.as('one'))
    .where('group_id', '=', groupId)
    .where('deleted_at', 'is', null)
    .limit(atMost)
  const count = build.selectFrom(rows.as('row')).select((eb) => eb.fn.countAll<number>().as('n'))
  return first(count)?.n ?? 0
}

function requireGroup({ build, first }: Queries, id: number): Row {
  const rows = build.selectFrom('group').selectAll().where('id', '=', id)
  const row = first(rows.where('deleted_at', 'is', null))
  if (row === undefined) throw new NotThere(`there is no group ${id}; it may be removed`)
  return row
}

function requireFree(queries: Queries, name: string): void {
  if (findNamed(queries, 'group', name) === undefined) return
  throw new NameTaken(`there is a group "${name}" already; choose another name`)
}

function createGroup(queries: Queries, group: GroupWrite, edit: Edit & Now): number {
  const { build, first } = queries
  const { name, channels } = group
  requireFree(queries, name)
  const row = { name, ...groupColumns(group), created_at: edit.now }
  const made = first(build.insertInto('group').values(row).returning('id'))
  if (made === undefined) throw new Error(`Group "${name}" got no row.`)
  linkChannels(queries, made.id, group)
  const { multiplier_millionths } = row
  audit(queries, 'group.create', name, edit, { id: made.id, channels, multiplier_millionths })
  return made.id
}

function changeGroup(queries: Queries, id: number, group: GroupWrite, edit: Edit & Now): void {
  const { build, run } = queries
  const row = requireGroup(queries, id)
  const channels = loadChannelNames(queries).get(id) ?? []
  checkRevision(edit.revision, groupRevision(row, channels), `the group "${row.name}"`)
  const { name } = group
  if (name !== row.name) requireFree(queries, name)
  const changed = differingColumns(row, { name, ...groupColumns(group) })
  const detail = differences(row, changed)
  const isLinkedAnew = JSON.stringify(channels) !== JSON.stringify(group.channels)
  if (Object.keys(changed).length > 0) {
    run(build.updateTable('group').set(changed).where('id', '=', id))
  }
  if (isLinkedAnew) linkChannels(queries, id, group)
  const links = isLinkedAnew && { channels: { from: channels, to: group.channels } }
  if (Object.keys(changed).length === 0 && !isLinkedAnew) return
  audit(queries, 'group.set', row.name, edit, { ...detail, ...links })
}

function removeGroup(queries: Queries, id: number, edit: RemoveGroup & Now): number {
  const { build, run } = queries
  const row = requireGroup(queries, id)
  const channels = loadChannelNames(queries).get(id) ?? []
  checkRevision(edit.revision, groupRevision(row, channels), `the group "${row.name}"`)
  const moved = moveTokens(queries, row, edit.moveTokensTo)
  run(build.deleteFrom('group_channel').where('group_id', '=', id))
  run(build.updateTable('group').set({ deleted_at: edit.now }).where('id', '=', id))
  audit(queries, 'group.remove', row.name, edit, { id, ...moved.detail })
  return moved.count
}

/** Puts the live tokens of a group into another one; refuses to leave them without. */
function moveTokens(queries: Queries, { id, name }: Row, to: number | undefined) {
  if (to === undefined) {
    const count = countTokens(queries, id, Number.MAX_SAFE_INTEGER)
    if (count === 0) return { count, detail: {} }
    throw new InUse(
      `the group "${name}" is in use by ${count} ${count === 1 ? 'token' : 'tokens'}; ` +
        'say to which group they go (move_tokens_to), or remove them first',
    )
  }
  if (to === id) throw new NotThere(`the tokens of "${name}" can't go to that group itself`)
  const target = requireGroup(queries, to)
  const { build, run } = queries
  const tokens = build.updateTable('token').set({ group_id: to })
  const count = run(tokens.where('group_id', '=', id).where('deleted_at', 'is', null))
  return { count, detail: { tokens: count, moved_to: target.name } }
}

function audit(
  queries: Queries,
  action: string,
  subject: string,
  { actor, now }: Edit & Now,
  detail: { readonly [name: string]: unknown },
): void {
  addAudit(queries, { createdAt: now, actor, action, subject: `group ${subject}`, detail })
}
