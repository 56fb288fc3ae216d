import type { NodeList } from './schema.ts'

/** Who serves from the database. */
export interface NodeService {
  list(): Promise<NodeList>
}
