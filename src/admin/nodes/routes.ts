import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { forAdmins, success } from '../envelope.ts'
import { NodeList } from './schema.ts'

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
