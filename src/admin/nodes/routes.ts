import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { forAdmins, success } from '../envelope.ts'
import { oneOf, orNull } from '../shapes.ts'

const known = (description: string) =>
  orNull(Type.Integer({ minimum: 0 }), `${description} Null: the node does not report it.`)

/** A process of a node that has several. */
export const ProcessItem = Type.Object({
  worker: orNull(Type.Integer({ minimum: 0 }), 'Number of the worker. Null: the keeper.'),
  pid: Type.Integer(),
  requests: Type.Integer({ minimum: 0, description: 'Under way, streams included.' }),
  streams: Type.Integer({ minimum: 0 }),
  requests_per_minute: Type.Integer({ minimum: 0 }),
  memory_bytes: Type.Integer({
    minimum: 0,
    description: 'Of a worker, without the program itself, which the keeper counts for all.',
  }),
  cpu_percent: Type.Integer({ minimum: 0, description: 'Of one core, in the last minute.' }),
})
export type ProcessItem = Static<typeof ProcessItem>

/** A node, alive or dead. */
export const NodeItem = Type.Object({
  name: Type.String({ description: 'Its machine and process.' }),
  version: Type.String(),
  is_this: Type.Boolean({ description: 'It is the one that answers this.' }),
  is_alive: Type.Boolean(),
  leads: Type.Boolean({ description: 'It builds the price feed that all nodes serve.' }),
  counting: orNull(
    oneOf(['together', 'apart', 'alone']),
    'How it counts limits: with all nodes; its share, while Valkey is unavailable; or without the others. Null: the node does not report it.',
  ),
  started_at: Type.String(),
  silent_seconds: Type.Integer({ minimum: 0, description: 'Since it was last heard of.' }),
  requests: known('Under way, streams included.'),
  streams: known('Those of them that are streams.'),
  requests_per_minute: known('That came within the last minute.'),
  memory_bytes: known('Of all its processes.'),
  cpu_percent: known('Of all its processes, in the last minute; 100 is one core.'),
  processes: Type.Array(ProcessItem, {
    description:
      'Keeper and workers. Empty: one process does all, or the node does not report them.',
  }),
  reserved_requests: Type.Integer({
    description: 'Requests with a reservation. Those of a dead node are closed within seconds.',
  }),
  reserved: Type.String({
    description: 'USD, exact: how much that is, with what it may promise without asking.',
  }),
})
export type NodeItem = Static<typeof NodeItem>

export const NodeList = Type.Object({
  database: Type.String({ description: 'Its path, or its address without user and password.' }),
  is_shared: Type.Boolean({ description: 'Any number of nodes can serve from it.' }),
  items: Type.Array(NodeItem),
})
export type NodeList = Static<typeof NodeList>

export interface NodeService {
  list(): Promise<NodeList>
}

/** The nodes that serve from the database. */
export const nodeRoutes = (guard: Guard, nodes: NodeService) =>
  new Elysia({ name: 'admin.nodes', prefix: '/api/v1/admin/nodes' })
    .use(guard('admin'))
    .get('', async () => success(await nodes.list()), {
      ...forAdmins(NodeList, 'Who serves from the database, and how busy'),
    })
