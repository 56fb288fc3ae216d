import type { Selectable } from 'kysely'
import type { GroupWrite } from '../../ports/admin.ts'
import { InUse, NotThere } from '../../ports/edits.ts'
import type { GroupEdits } from '../../ports/group-edits.ts'
import { loadChannelNames } from '../catalog.ts'
import { requireFreeName } from '../names.ts'
import type { Queries } from '../queries.ts'
import type { GroupTable } from '../tables.ts'
import { groupColumns, linkChannels } from '../write-catalog.ts'
import { type Change, type EditParts, inTransaction, note } from './change.ts'
import { countTokens } from './count-tokens.ts'
import { differences, differingColumns } from './differences.ts'
import { checkRevision, revisionOf } from './revision.ts'

type Row = Selectable<GroupTable>

/** Groups by hand. */
export function createGroupEdits(parts: EditParts): GroupEdits {
  const change = inTransaction(parts)
  const add = change(addGroup)
  const set = change(setGroup)
  const remove = change(removeGroup)
  return {
    addGroup: (group, edit) => add(edit, group),
    setGroup: (id, group, edit) => set(edit, id, group),
    removeGroup: (id, { moveTokensTo, ...edit }) => remove(edit, id, moveTokensTo),
  }
}

const editable = [
  ...['name', 'status', 'description', 'platform', 'multiplier_millionths', 'models'],
  ...['long_context_pricing', 'on_disconnect', 'rpm', 'tpm', 'concurrency', 'channels'],
] as readonly (keyof Row | 'channels')[]

/** Tells states of a group apart, its channels and their order included. */
export const groupRevision = (row: Row, channels: readonly string[]): string =>
  revisionOf({ ...row, channels: JSON.stringify(channels) }, editable)

function requireGroup({ build, first }: Queries, id: number): Row {
  const rows = build.selectFrom('group').selectAll().where('id', '=', id)
  const row = first(rows.where('deleted_at', 'is', null))
  if (row === undefined) throw new NotThere(`there is no group ${id}; it may be removed`)
  return row
}

function addGroup(change: Change, group: GroupWrite): number {
  const { queries, now } = change
  const { build, first } = queries
  const { name, channels } = group
  requireFreeName(queries, 'group', name)
  const row = { name, ...groupColumns(group), created_at: now }
  const made = first(build.insertInto('group').values(row).returning('id'))
  if (made === undefined) throw new Error(`Group "${name}" got no row.`)
  linkChannels(queries, made.id, group)
  const { multiplier_millionths } = row
  const detail = { id: made.id, channels, multiplier_millionths }
  note(change, 'group.create', `group ${name}`, detail)
  return made.id
}

function setGroup(change: Change, id: number, group: GroupWrite): void {
  const { queries, edit } = change
  const { build, run } = queries
  const row = requireGroup(queries, id)
  const channels = loadChannelNames(queries).get(id) ?? []
  checkRevision(edit.revision, groupRevision(row, channels), `the group "${row.name}"`)
  const { name } = group
  if (name !== row.name) requireFreeName(queries, 'group', name)
  const changed = differingColumns(row, { name, ...groupColumns(group) })
  const detail = differences(row, changed)
  const isLinkedAnew = JSON.stringify(channels) !== JSON.stringify(group.channels)
  if (Object.keys(changed).length > 0) {
    run(build.updateTable('group').set(changed).where('id', '=', id))
  }
  if (isLinkedAnew) linkChannels(queries, id, group)
  const links = isLinkedAnew && { channels: { from: channels, to: group.channels } }
  if (Object.keys(changed).length === 0 && !isLinkedAnew) return
  note(change, 'group.set', `group ${row.name}`, { ...detail, ...links })
}

function removeGroup(change: Change, id: number, moveTokensTo: number | undefined): number {
  const { queries, now, edit } = change
  const { build, run } = queries
  const row = requireGroup(queries, id)
  const channels = loadChannelNames(queries).get(id) ?? []
  checkRevision(edit.revision, groupRevision(row, channels), `the group "${row.name}"`)
  const moved = moveTokens(queries, row, moveTokensTo)
  run(build.deleteFrom('group_channel').where('group_id', '=', id))
  run(build.updateTable('group').set({ deleted_at: now }).where('id', '=', id))
  note(change, 'group.remove', `group ${row.name}`, { id, ...moved.detail })
  return moved.count
}

/** Puts the live tokens of a group into another one; refuses to leave them without. */
function moveTokens(queries: Queries, { id, name }: Row, to: number | undefined) {
  if (to === undefined) {
    const count = countTokens(queries, 'group_id', id, Number.MAX_SAFE_INTEGER)
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
