import { type RawBuilder, sql } from 'kysely'
import { type NodeStore, silentNodeMs } from '../ports/nodes.ts'
import { parseColumn } from './columns.ts'
import { all, build, type Engine, first, run } from './steps.ts'

interface NodeParts {
  readonly engine: Engine
  /** The time that all nodes go by, in milliseconds since 1970. */
  readonly now: () => RawBuilder<number>
  readonly sweep: () => Promise<number>
  /** Gets the id that this process has from now on. */
  readonly onRegistered: (id: number) => void
}

const columns = ['id', 'name', 'version', 'started_at as startedAt', 'seen_at as seenAt'] as const

/** The list of nodes. */
export function createNodeStore({ engine, now, sweep, onRegistered }: NodeParts): NodeStore {
  return {
    async register(node) {
      const row = { ...node, started_at: now(), seen_at: now(), load: '{}' }
      const made = await engine.write(() =>
        first(build.insertInto('node').values(row).returning('id')),
      )
      if (made === undefined) throw new Error('A node was entered, and no id came back.')
      onRegistered(made.id)
      return made.id
    },
    async heartbeat(id, load) {
      const alive = { seen_at: now(), load: JSON.stringify(load) }
      const changed = await engine.read(() =>
        run(build.updateTable('node').set(alive).where('id', '=', id)),
      )
      return changed === 1
    },
    async list() {
      const silentMs = sql<number>`${now()} - seen_at`
      const rows = await engine.read(() =>
        all(
          build
            .selectFrom('node')
            .select([...columns, 'load', silentMs.as('silentMs')])
            .orderBy('id'),
        ),
      )
      return rows.map((row) => ({
        ...row,
        isAlive: row.silentMs < silentNodeMs,
        load: parseColumn(row.load),
      }))
    },
    reservations: () =>
      engine.read(() =>
        all(
          build
            .selectFrom('reservation')
            .select((on) => [
              'node_id as nodeId',
              on.fn.countAll<number>().as('requests'),
              on.fn.sum<number>('amount_nano').as('amountNano'),
            ])
            .groupBy('node_id')
            .orderBy('node_id'),
        ),
      ),
    async forget(id, seenAt) {
      const one = build.deleteFrom('node').where('id', '=', id)
      const asKnown = seenAt === undefined ? one : one.where('seen_at', '=', seenAt)
      await engine.write(() => run(asKnown))
    },
    sweepDead: sweep,
  }
}
