import {
  type NodeReservations,
  type NodeStore,
  type NodeView,
  silentNodeMs,
} from '../ports/nodes.ts'
import { parseColumn } from '../schema/columns.ts'
import { isOfAccount } from '../schema/lease.ts'
import { type Sql, sql } from '../schema/sql.ts'
import { endLeases } from './leases.ts'
import { all, type Engine, insert, run } from './steps.ts'

type NodeRow = Omit<NodeView, 'isAlive' | 'load'> & { readonly load: string }

/** `onRegistered` gets the id that this process has from now on. */
export function createNodeStore(
  engine: Engine,
  now: () => Sql<number>,
  sweepDead: NodeStore['sweepDead'],
  onRegistered: (id: number) => void = () => {},
): NodeStore {
  return {
    async register(node) {
      const row = { ...node, started_at: now(), seen_at: now(), load: '{}' }
      const id = await engine.write(() => insert('node', row))
      onRegistered(id)
      return id
    },
    async heartbeat(id, load) {
      const changed = await engine.read(() =>
        run(
          sql`UPDATE node SET seen_at = ${now()}, load = ${JSON.stringify(load)} WHERE id = ${id}`,
        ),
      )
      return changed === 1
    },
    async list() {
      const rows = await engine.read(() =>
        all(
          sql<NodeRow>`SELECT id, name, version, started_at AS "startedAt", seen_at AS "seenAt", load,
            ${now()} - seen_at AS "silentMs" FROM node ORDER BY id`,
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
          sql<NodeReservations>`SELECT node_id AS "nodeId", sum(requests) AS requests,
            sum(amount_nano) AS "amountNano" FROM (
              SELECT node_id, 1 AS requests, amount_nano FROM reservation
              UNION ALL SELECT nullif(node_id, 0), 0, amount_nano FROM lease
                WHERE amount_nano > 0 AND ${sql.raw(isOfAccount('purse'))}
            ) AS parts GROUP BY node_id ORDER BY node_id`,
        ),
      ),
    async forget(id, seenAt) {
      const asKnown = seenAt === undefined ? sql`` : sql`AND seen_at = ${seenAt}`
      await engine.write(function* () {
        const gone = yield* run(sql`DELETE FROM node WHERE id = ${id} ${asKnown}`)
        if (gone > 0) yield* endLeases(id)
      })
    },
    sweepDead,
  }
}
