import { type ChannelColumns, channelFields } from '../../resources/channel.ts'
import { columnsOf, fromColumns, toColumns } from '../../resources/resource.ts'
import { type ChannelWrite, WriteRefused } from '../ports/admin.ts'
import type { ChannelRow } from '../ports/catalog.ts'
import type { CoolingId, CoolingRow, HealthStore } from '../ports/counters.ts'
import { InUse, type NewChannel } from '../ports/edits.ts'
import { selected } from '../schema/columns.ts'
import { sql } from '../schema/sql.ts'
import {
  type Change,
  checkRevision,
  differences,
  differingColumns,
  note,
  revisionOf,
} from './changes.ts'
import { findNamed, requireFreeName, requireNamed, requireRow } from './names.ts'
import { all, type Engine, insert, run, type Steps, update } from './steps.ts'

type Channel = Required<ReturnType<typeof channelColumns>> & {
  readonly id: number
  readonly name: string
  readonly keys_sealed: Uint8Array
  readonly created_at: number
}

export const channelRows = (): Steps<readonly Channel[]> =>
  all(sql<Channel>`SELECT * FROM channel WHERE deleted_at IS NULL ORDER BY id`)

export function readChannel(row: Channel): ChannelRow {
  return {
    id: row.id,
    name: row.name,
    status: row.status === 'active' && row.draining === 1 ? 'draining' : row.status,
    keysSealed: row.keys_sealed,
    proxySealed: row.proxy_sealed,
    ...fromColumns(channelFields, row),
  }
}

/** The columns of a channel without its name and keys. */
const channelColumns = (channel: Omit<ChannelWrite, 'name' | 'keysSealed'>) => ({
  status: channel.status === 'disabled' ? ('disabled' as const) : ('active' as const),
  draining: channel.status === 'draining' ? 1 : 0,
  ...(toColumns(channelFields, channel) as ChannelColumns),
  ...(channel.proxySealed !== undefined && { proxy_sealed: channel.proxySealed }),
})

/** Creates or updates a channel; a new one must bring its keys. Gives its id. */
export function* writeChannel(channel: ChannelWrite, now: number): Steps<number> {
  const { name, keysSealed } = channel
  const columns = { ...channelColumns(channel), keys_sealed: keysSealed }
  const id = yield* findNamed('channel', name)
  if (id === undefined && keysSealed === undefined) {
    throw new WriteRefused(`channel "${name}" is new, so it needs the keys of its upstream`)
  }
  if (id === undefined) return yield* insert('channel', { name, ...columns, created_at: now })
  yield* update('channel', id, columns)
  return id
}

/** Removes the channel with this name, out of its groups, too. */
export function* removeChannelNamed(name: string, now: number): Steps<void> {
  yield* markRemoved(yield* requireNamed('channel', name, 'remove channel'), now)
}

function* markRemoved(id: number, now: number): Steps<void> {
  yield* run(sql`DELETE FROM group_channel WHERE channel_id = ${id}`)
  yield* clearCooling(id)
  yield* run(sql`UPDATE channel SET deleted_at = ${now} WHERE id = ${id}`)
}

const revised = [
  ...(['name', 'status', 'draining', 'keys_sealed', 'proxy_sealed'] as const),
  ...columnsOf(channelFields),
]

export const channelRevision = (row: Channel) => revisionOf(row, revised)

function* requireRevision({ edit }: Change, id: number): Steps<Channel> {
  const row = yield* requireRow<Channel>('channel', id)
  checkRevision(edit.revision, channelRevision(row), `the channel "${row.name}"`)
  return row
}

export function* addChannel(change: Change, channel: NewChannel): Steps<number> {
  const { name, speaks, models } = channel
  yield* requireFreeName('channel', name)
  const id = yield* writeChannel(channel, change.now)
  const detail = { id, speaks, models: models.map((model) => model.id) }
  yield* note(change, 'channel.create', `channel ${name}`, detail)
  return id
}

export function* setChannel(change: Change, id: number, channel: ChannelWrite): Steps<void> {
  const row = yield* requireRevision(change, id)
  const { name, keysSealed } = channel
  if (name !== row.name) yield* requireFreeName('channel', name)
  const columns = { name, ...channelColumns(channel), keys_sealed: keysSealed }
  const changed = differingColumns(row, columns)
  if (Object.keys(changed).length === 0) return
  yield* update('channel', id, changed)
  yield* note(change, 'channel.set', `channel ${row.name}`, differences(row, changed))
}

/** Names of the groups that a channel is in. */
export function* groupsWith(id: number): Steps<string[]> {
  const users = yield* all(
    sql<{ name: string }>`SELECT "group".name FROM group_channel
      JOIN "group" ON "group".id = group_id WHERE channel_id = ${id} ORDER BY "group".id`,
  )
  return users.map(({ name }) => name)
}

export function* removeChannel(change: Change, id: number, takeOutOfGroups: boolean): Steps<void> {
  const row = yield* requireRevision(change, id)
  const groups = yield* groupsWith(id)
  if (groups.length > 0 && !takeOutOfGroups) {
    throw new InUse(
      `the channel "${row.name}" is in use by ${groups.map((name) => `"${name}"`).join(', ')}; ` +
        'take it out of them first, or remove it with take_out_of_groups',
    )
  }
  yield* markRemoved(id, change.now)
  const detail = { id, ...(groups.length > 0 && { groups }) }
  yield* note(change, 'channel.remove', `channel ${row.name}`, detail)
}

export function* recoverChannel(change: Change, id: number): Steps<number> {
  const { name, status } = yield* requireRow<Channel>('channel', id)
  const ended = yield* clearCooling(id)
  // A change of channels makes other nodes read cooldowns again.
  yield* run(sql`UPDATE channel SET status = ${status} WHERE id = ${id}`)
  yield* note(change, 'channel.recover', `channel ${name}`, { ended })
  return ended
}

export const createHealthStore = ({ read, write }: Engine): HealthStore => ({
  load: () => read(loadCooling),
  save: (changed, ended) => write(() => saveCooling(changed, ended)),
  clear: (channelId) => write(() => clearCooling(channelId)),
})

const coolingFields = ['channelId', 'key', 'model', 'cause', 'since', 'until', 'rounds']

const loadCooling = () =>
  all(
    sql<CoolingRow>`SELECT ${selected('cooling', coolingFields)} FROM cooling
      JOIN channel ON channel.id = cooling.channel_id WHERE channel.deleted_at IS NULL
      ORDER BY cooling.channel_id, cooling.key, cooling.model`,
  )

function* saveCooling(changed: readonly CoolingRow[], ended: readonly CoolingId[]): Steps<void> {
  for (const { channelId, key, model } of ended) {
    yield* run(sql`DELETE FROM cooling
      WHERE channel_id = ${channelId} AND key = ${key} AND model = ${model}`)
  }
  for (const { channelId, key, model, cause, since, until, rounds } of changed) {
    yield* run(sql`INSERT INTO cooling (channel_id, key, model, cause, since, until, rounds)
      VALUES (${channelId}, ${key}, ${model}, ${cause}, ${since}, ${until}, ${rounds})
      ON CONFLICT (channel_id, key, model) DO UPDATE SET cause = excluded.cause,
        since = excluded.since, until = excluded.until, rounds = excluded.rounds`)
  }
}

const clearCooling = (channelId: number): Steps<number> =>
  run(sql`DELETE FROM cooling WHERE channel_id = ${channelId}`)
