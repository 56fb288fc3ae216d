import { type NodeStore, type NodeView, silentNodeMs } from '../ports/nodes.ts'
import { parseColumn } from '../queries/json.ts'
import type { Connections } from './connections.ts'
import type { Patience } from './patience.ts'

const register = `INSERT INTO node (name, version, started_at, seen_at, load)
VALUES ($1, $2, now_ms(), now_ms(), '{}') RETURNING id`

const list = `SELECT id, name, version, started_at AS "startedAt", seen_at AS "seenAt", load,
  (seen_at > now_ms() - $1)::int AS alive FROM node ORDER BY id`

/** Nodes of one database, by the database's own clock; `onRegistered` gets the id of this one. */
export function createNodeStore(
  connections: Connections,
  patiently: Patience,
  onRegistered: (id: number) => void,
): NodeStore {
  const ask = (text: string, ...values: readonly unknown[]) =>
    patiently(() => connections.query({ text, values }))
  return {
    async register({ name, version }) {
      const { rows } = await ask(register, name, version)
      const id = Number(rows[0]?.id)
      onRegistered(id)
      return id
    },
    async heartbeat(id, load) {
      const text = 'UPDATE node SET seen_at = now_ms(), load = $2 WHERE id = $1'
      return (await ask(text, id, JSON.stringify(load))).rowCount === 1
    },
    async list() {
      const { rows } = await ask(list, silentNodeMs)
      return rows.map(({ alive, load, ...node }) => ({
        ...(node as unknown as Omit<NodeView, 'isAlive' | 'load'>),
        isAlive: alive === 1,
        load: parseColumn(String(load)),
      }))
    },
    async forget(id) {
      await ask('DELETE FROM node WHERE id = $1', id)
    },
  }
}
