import type { Selectable } from 'kysely'
import type { ChannelWrite } from '../../ports/admin.ts'
import {
  type ChannelEdits,
  type EditableCatalog,
  InUse,
  mostTokensCounted,
  type NewChannel,
  NotThere,
} from '../../ports/edits.ts'
import { build } from '../build.ts'
import {
  channelRows,
  groupRows,
  loadChannelNames,
  loadPrices,
  readChannel,
  readGroup,
} from '../catalog.ts'
import { clearCooling } from '../health.ts'
import { requireFreeName } from '../names.ts'
import { all, first, run, type Steps } from '../steps.ts'
import type { ChannelTable } from '../tables.ts'
import { channelColumns } from '../write-catalog.ts'
import { type Change, type EditParts, inTransaction, note } from './change.ts'
import { countTokens } from './count-tokens.ts'
import { differences, differingColumns } from './differences.ts'
import { groupRevision } from './groups.ts'
import { checkRevision, revisionOf } from './revision.ts'

type Row = Selectable<ChannelTable>

/** Channels by hand. */
export function createChannelEdits(parts: EditParts): ChannelEdits {
  const { engine } = parts
  const change = inTransaction(parts)
  const add = change(addChannel)
  const set = change(setChannel)
  const remove = change(removeChannel)
  const recover = change(recoverChannel)
  return {
    editableCatalog: () => engine.snapshot(loadEditable),
    addChannel: (channel, edit) => add(edit, channel),
    setChannel: (id, channel, edit) => set(edit, id, channel),
    removeChannel: (id, { takeOutOfGroups, ...edit }) => remove(edit, id, takeOutOfGroups),
    recoverChannel: (id, edit) => recover(edit, id),
  }
}

function* loadEditable(): Steps<EditableCatalog> {
  const channels = yield* channelRows()
  return {
    channels: channels.map((row) => ({
      ...readChannel(row),
      revision: channelRevision(row),
      createdAt: row.created_at,
    })),
    groups: yield* loadGroups(),
    prices: yield* loadPrices(),
  }
}

function* loadGroups(): Steps<EditableCatalog['groups']> {
  const names = yield* loadChannelNames()
  const groups: EditableCatalog['groups'][number][] = []
  for (const row of yield* groupRows()) {
    const channels = names.get(row.id) ?? []
    groups.push({
      ...readGroup(row, channels),
      revision: groupRevision(row, channels),
      createdAt: row.created_at,
      tokenCount: yield* countTokens('group_id', row.id, mostTokensCounted),
    })
  }
  return groups
}

const editable = [
  ...['name', 'status', 'draining', 'speaks', 'keys_sealed', 'models', 'priority', 'weight'],
  ...['timeouts', 'allow_private', 'quirks', 'rpm', 'tpm', 'concurrency', 'proxy_sealed', 'probe'],
] as readonly (keyof Row)[]

const channelRevision = (row: Row) => revisionOf(row, editable)

function* requireChannel(id: number): Steps<Row> {
  const rows = build.selectFrom('channel').selectAll().where('id', '=', id)
  const row = yield* first(rows.where('deleted_at', 'is', null))
  if (row === undefined) throw new NotThere(`there is no channel ${id}; it may be removed`)
  return row
}

function* addChannel(change: Change, channel: NewChannel): Steps<number> {
  const { now } = change
  const { name, keysSealed } = channel
  yield* requireFreeName('channel', name)
  const columns = { ...channelColumns(channel), keys_sealed: keysSealed }
  const row = { name, ...columns, created_at: now }
  const made = yield* first(build.insertInto('channel').values(row).returning('id'))
  if (made === undefined) throw new Error(`Channel "${name}" got no row.`)
  const { speaks, models } = channel
  const detail = { id: made.id, speaks, models: models.map(({ id }) => id) }
  yield* note(change, 'channel.create', `channel ${name}`, detail)
  return made.id
}

function* setChannel(change: Change, id: number, channel: ChannelWrite): Steps<void> {
  const { edit } = change
  const row = yield* requireChannel(id)
  checkRevision(edit.revision, channelRevision(row), `the channel "${row.name}"`)
  const { name, keysSealed } = channel
  if (name !== row.name) yield* requireFreeName('channel', name)
  const columns = { name, ...channelColumns(channel), keys_sealed: keysSealed }
  const changed = differingColumns(row, columns)
  if (Object.keys(changed).length === 0) return
  yield* run(build.updateTable('channel').set(changed).where('id', '=', id))
  yield* note(change, 'channel.set', `channel ${row.name}`, differences(row, changed))
}

function* removeChannel(change: Change, id: number, takeOutOfGroups: boolean): Steps<void> {
  const { now, edit } = change
  const row = yield* requireChannel(id)
  checkRevision(edit.revision, channelRevision(row), `the channel "${row.name}"`)
  const users = yield* all(
    build
      .selectFrom('group_channel')
      .innerJoin('group', 'group.id', 'group_channel.group_id')
      .select('group.name')
      .where('group_channel.channel_id', '=', id)
      .orderBy('group.id'),
  )
  const groups = users.map(({ name }) => name)
  if (groups.length > 0 && !takeOutOfGroups) {
    throw new InUse(
      `the channel "${row.name}" is in use by ${groups.map((name) => `"${name}"`).join(', ')}; ` +
        'take it out of them first, or remove it with take_out_of_groups',
    )
  }
  yield* run(build.deleteFrom('group_channel').where('channel_id', '=', id))
  yield* clearCooling(id)
  yield* run(build.updateTable('channel').set({ deleted_at: now }).where('id', '=', id))
  const detail = { id, ...(groups.length > 0 && { groups }) }
  yield* note(change, 'channel.remove', `channel ${row.name}`, detail)
}

function* recoverChannel(change: Change, id: number): Steps<number> {
  const { name, status } = yield* requireChannel(id)
  const ended = yield* clearCooling(id)
  // Other nodes look again at what cools when they hear of a change of channels.
  yield* run(build.updateTable('channel').set({ status }).where('id', '=', id))
  yield* note(change, 'channel.recover', `channel ${name}`, { ended })
  return ended
}
