import type { Selectable } from 'kysely'
import type { GroupWrite } from '../../ports/admin.ts'
import { type GroupEdits, InUse, NotThere } from '../../ports/edits.ts'
import { build } from '../build.ts'
import { loadChannelNames } from '../catalog.ts'
import { requireOpenToOwners } from '../group-access.ts'
import { requireFreeName } from '../names.ts'
import { first, run, type Steps } from '../steps.ts'
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
  ...[
    'long_context_pricing',
    'on_disconnect',
    'rpm',
    'tpm',
    'concurrency',
    'channels',
    'accounts',
    'tools',
    'regions',
  ],
] as readonly (keyof Row | 'channels')[]

/** Tells states of a group apart, its channels and their order included. */
export const groupRevision = (row: Row, channels: readonly string[]): string =>
  revisionOf({ ...row, channels: JSON.stringify(channels) }, editable)

function* requireGroup(id: number): Steps<Row> {
  const rows = build.selectFrom('group').selectAll().where('id', '=', id)
  const row = yield* first(rows.where('deleted_at', 'is', null))
  if (row === undefined) throw new NotThere(`there is no group ${id}; it may be removed`)
  return row
}

function* addGroup(change: Change, group: GroupWrite): Steps<number> {
  const { now } = change
  const { name, channels } = group
  yield* requireFreeName('group', name)
  const row = { name, ...groupColumns(group), created_at: now }
  const made = yield* first(build.insertInto('group').values(row).returning('id'))
  if (made === undefined) throw new Error(`Group "${name}" got no row.`)
  yield* linkChannels(made.id, group)
  const { multiplier_millionths } = row
  const detail = { id: made.id, channels, multiplier_millionths }
  yield* note(change, 'group.create', `group ${name}`, detail)
  return made.id
}

function* setGroup(change: Change, id: number, group: GroupWrite): Steps<void> {
  const { edit } = change
  const row = yield* requireGroup(id)
  const channels = (yield* loadChannelNames()).get(id) ?? []
  checkRevision(edit.revision, groupRevision(row, channels), `the group "${row.name}"`)
  const { name } = group
  if (name !== row.name) yield* requireFreeName('group', name)
  const changed = differingColumns(row, { name, ...groupColumns(group) })
  const detail = differences(row, changed)
  const isLinkedAnew = JSON.stringify(channels) !== JSON.stringify(group.channels)
  if (Object.keys(changed).length > 0) {
    yield* run(build.updateTable('group').set(changed).where('id', '=', id))
  }
  if (isLinkedAnew) yield* linkChannels(id, group)
  const links = isLinkedAnew && { channels: { from: channels, to: group.channels } }
  if (Object.keys(changed).length === 0 && !isLinkedAnew) return
  yield* note(change, 'group.set', `group ${row.name}`, { ...detail, ...links })
}

function* removeGroup(change: Change, id: number, moveTokensTo: number | undefined): Steps<number> {
  const { now, edit } = change
  const row = yield* requireGroup(id)
  const channels = (yield* loadChannelNames()).get(id) ?? []
  checkRevision(edit.revision, groupRevision(row, channels), `the group "${row.name}"`)
  const moved = yield* moveTokens(row, moveTokensTo)
  yield* run(build.deleteFrom('group_channel').where('group_id', '=', id))
  yield* run(build.updateTable('group').set({ deleted_at: now }).where('id', '=', id))
  yield* note(change, 'group.remove', `group ${row.name}`, { id, ...moved.detail })
  return moved.count
}

/** Puts the live tokens of a group into another one; refuses to leave them without. */
function* moveTokens({ id, name }: Row, to: number | undefined) {
  if (to === undefined) {
    const count = yield* countTokens('group_id', id, Number.MAX_SAFE_INTEGER)
    if (count === 0) return { count, detail: {} }
    throw new InUse(
      `the group "${name}" is in use by ${count} ${count === 1 ? 'token' : 'tokens'}; ` +
        'say to which group they go (move_tokens_to), or remove them first',
    )
  }
  if (to === id) throw new NotThere(`the tokens of "${name}" can't go to that group itself`)
  const target = yield* requireGroup(to)
  yield* requireOpenToOwners(to, id)
  const tokens = build.updateTable('token').set({ group_id: to })
  const count = yield* run(tokens.where('group_id', '=', id).where('deleted_at', 'is', null))
  return { count, detail: { tokens: count, moved_to: target.name } }
}
