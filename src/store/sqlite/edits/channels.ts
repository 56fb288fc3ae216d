import type { Selectable } from 'kysely'
import type { ChannelWrite } from '../../ports/admin.ts'
import {
  type ChannelEdits,
  type EditableCatalog,
  mostTokensCounted,
  type NewChannel,
  type RemoveChannel,
} from '../../ports/channel-edits.ts'
import { type Edit, InUse, NameTaken, NotThere } from '../../ports/edits.ts'
import { addAudit } from '../audit.ts'
import {
  channelRows,
  groupRows,
  loadChannelNames,
  loadPrices,
  readChannel,
  readGroup,
} from '../catalog.ts'
import { clearCooling } from '../health.ts'
import { findNamed } from '../names.ts'
import type { Queries } from '../queries.ts'
import type { ChannelTable } from '../tables.ts'
import { channelColumns } from '../write-catalog.ts'
import { differences, differingColumns } from './differences.ts'
import type { EditParts } from './edits.ts'
import { countTokens, groupRevision } from './groups.ts'
import { checkRevision, revisionOf } from './revision.ts'

type Row = Selectable<ChannelTable>

/** Changes of channels by hand. */
export function createChannelEdits({ db, queries, clock, access }: EditParts): ChannelEdits {
  const load = db.transaction(() => loadEditable(queries))
  const create = db.transaction(createChannel)
  const change = db.transaction(changeChannel)
  const remove = db.transaction(removeChannel)
  const recover = db.transaction(recoverChannel)
  return {
    editableCatalog: () => access(() => load.deferred()),
    createChannel: (channel, edit) =>
      access(() => create.immediate(queries, channel, { ...edit, now: clock() })),
    changeChannel: (id, channel, edit) =>
      access(() => change.immediate(queries, id, channel, { ...edit, now: clock() })),
    removeChannel: (id, edit) =>
      access(() => remove.immediate(queries, id, { ...edit, now: clock() })),
    recoverChannel: (id, edit) =>
      access(() => recover.immediate(queries, id, { ...edit, now: clock() })),
  }
}

interface Now {
  readonly now: number
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
        tokenCount: countTokens(queries, row.id, mostTokensCounted),
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

function requireFree(queries: Queries, name: string): void {
  if (findNamed(queries, 'channel', name) === undefined) return
  throw new NameTaken(`there is a channel "${name}" already; choose another name`)
}

function createChannel(queries: Queries, channel: NewChannel, edit: Edit & Now): number {
  const { build, first } = queries
  const { name, keysSealed } = channel
  requireFree(queries, name)
  const columns = { ...channelColumns(channel), keys_sealed: keysSealed }
  const row = { name, ...columns, created_at: edit.now }
  const made = first(build.insertInto('channel').values(row).returning('id'))
  if (made === undefined) throw new Error(`Channel "${name}" got no row.`)
  const { speaks, models } = channel
  const detail = { id: made.id, speaks, models: models.map(({ id }) => id) }
  audit(queries, 'channel.create', name, edit, detail)
  return made.id
}

function changeChannel(
  queries: Queries,
  id: number,
  channel: ChannelWrite,
  edit: Edit & Now,
): void {
  const { build, run } = queries
  const row = requireChannel(queries, id)
  checkRevision(edit.revision, channelRevision(row), `the channel "${row.name}"`)
  const { name, keysSealed } = channel
  if (name !== row.name) requireFree(queries, name)
  const columns = { name, ...channelColumns(channel), keys_sealed: keysSealed }
  const changed = differingColumns(row, columns)
  if (Object.keys(changed).length === 0) return
  run(build.updateTable('channel').set(changed).where('id', '=', id))
  audit(queries, 'channel.set', row.name, edit, differences(row, changed))
}

function removeChannel(queries: Queries, id: number, edit: RemoveChannel & Now): void {
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
  if (groups.length > 0 && !edit.takeOutOfGroups) {
    throw new InUse(
      `the channel "${row.name}" is in use by ${groups.map((name) => `"${name}"`).join(', ')}; ` +
        'take it out of them first, or remove it with take_out_of_groups',
    )
  }
  run(build.deleteFrom('group_channel').where('channel_id', '=', id))
  clearCooling(queries, id)
  run(build.updateTable('channel').set({ deleted_at: edit.now }).where('id', '=', id))
  audit(queries, 'channel.remove', row.name, edit, { id, ...(groups.length > 0 && { groups }) })
}

function recoverChannel(queries: Queries, id: number, edit: Edit & Now): number {
  const { name } = requireChannel(queries, id)
  const ended = clearCooling(queries, id)
  audit(queries, 'channel.recover', name, edit, { ended })
  return ended
}

function audit(
  queries: Queries,
  action: string,
  subject: string,
  { actor, now }: Edit & Now,
  detail: { readonly [name: string]: unknown },
): void {
  addAudit(queries, { createdAt: now, actor, action, subject: `channel ${subject}`, detail })
}
