import type { Selectable } from 'kysely'
import type { ChannelWrite } from '../../ports/admin.ts'
import type { ChannelEdits, EditableCatalog, NewChannel } from '../../ports/channel-edits.ts'
import { InUse, mostTokensCounted, NotThere } from '../../ports/edits.ts'
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
import type { Queries } from '../queries.ts'
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
  const { db, queries, access } = parts
  const load = db.transaction(() => loadEditable(queries))
  const change = inTransaction(parts)
  const add = change(addChannel)
  const set = change(setChannel)
  const remove = change(removeChannel)
  const recover = change(recoverChannel)
  return {
    editableCatalog: () => access(() => load.deferred()),
    addChannel: (channel, edit) => add(edit, channel),
    setChannel: (id, channel, edit) => set(edit, id, channel),
    removeChannel: (id, { takeOutOfGroups, ...edit }) => remove(edit, id, takeOutOfGroups),
    recoverChannel: (id, edit) => recover(edit, id),
  }
}

function loadEditable(queries: Queries): EditableCatalog {
  const names = loadChannelNames(queries)
  return {
    channels: channelRows(queries).map((row) => ({
      ...readChannel(row),
      revision: channelRevision(row),
      createdAt: row.created_at,
    })),
    groups: groupRows(queries).map((row) => {
      const channels = names.get(row.id) ?? []
      return {
        ...readGroup(row, channels),
        revision: groupRevision(row, channels),
        createdAt: row.created_at,
        tokenCount: countTokens(queries, 'group_id', row.id, mostTokensCounted),
      }
    }),
    prices: loadPrices(queries),
  }
}

const editable = [
  ...['name', 'status', 'draining', 'speaks', 'keys_sealed', 'models', 'priority', 'weight'],
  ...['timeouts', 'allow_private', 'quirks', 'rpm', 'tpm', 'concurrency', 'proxy_sealed', 'probe'],
] as readonly (keyof Row)[]

const channelRevision = (row: Row) => revisionOf(row, editable)

function requireChannel({ build, first }: Queries, id: number): Row {
  const rows = build.selectFrom('channel').selectAll().where('id', '=', id)
  const row = first(rows.where('deleted_at', 'is', null))
  if (row === undefined) throw new NotThere(`there is no channel ${id}; it may be removed`)
  return row
}

function addChannel(change: Change, channel: NewChannel): number {
  const { queries, now } = change
  const { build, first } = queries
  const { name, keysSealed } = channel
  requireFreeName(queries, 'channel', name)
  const columns = { ...channelColumns(channel), keys_sealed: keysSealed }
  const row = { name, ...columns, created_at: now }
  const made = first(build.insertInto('channel').values(row).returning('id'))
  if (made === undefined) throw new Error(`Channel "${name}" got no row.`)
  const { speaks, models } = channel
  const detail = { id: made.id, speaks, models: models.map(({ id }) => id) }
  note(change, 'channel.create', `channel ${name}`, detail)
  return made.id
}

function setChannel(change: Change, id: number, channel: ChannelWrite): void {
  const { queries, edit } = change
  const { build, run } = queries
  const row = requireChannel(queries, id)
  checkRevision(edit.revision, channelRevision(row), `the channel "${row.name}"`)
  const { name, keysSealed } = channel
  if (name !== row.name) requireFreeName(queries, 'channel', name)
  const columns = { name, ...channelColumns(channel), keys_sealed: keysSealed }
  const changed = differingColumns(row, columns)
  if (Object.keys(changed).length === 0) return
  run(build.updateTable('channel').set(changed).where('id', '=', id))
  note(change, 'channel.set', `channel ${row.name}`, differences(row, changed))
}

function removeChannel(change: Change, id: number, takeOutOfGroups: boolean): void {
  const { queries, now, edit } = change
  const { build, run, all } = queries
  const row = requireChannel(queries, id)
  checkRevision(edit.revision, channelRevision(row), `the channel "${row.name}"`)
  const groups = all(
    build
      .selectFrom('group_channel')
      .innerJoin('group', 'group.id', 'group_channel.group_id')
      .select('group.name')
      .where('group_channel.channel_id', '=', id)
      .orderBy('group.id'),
  ).map(({ name }) => name)
  if (groups.length > 0 && !takeOutOfGroups) {
    throw new InUse(
      `the channel "${row.name}" is in use by ${groups.map((name) => `"${name}"`).join(', ')}; ` +
        'take it out of them first, or remove it with take_out_of_groups',
    )
  }
  run(build.deleteFrom('group_channel').where('channel_id', '=', id))
  clearCooling(queries, id)
  run(build.updateTable('channel').set({ deleted_at: now }).where('id', '=', id))
  const detail = { id, ...(groups.length > 0 && { groups }) }
  note(change, 'channel.remove', `channel ${row.name}`, detail)
}

function recoverChannel(change: Change, id: number): number {
  const { name } = requireChannel(change.queries, id)
  const ended = clearCooling(change.queries, id)
  note(change, 'channel.recover', `channel ${name}`, { ended })
  return ended
}
