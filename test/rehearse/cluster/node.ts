import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { type TollgateYamlOptions, tollgateYaml } from '../../support/tollgate-yaml.ts'
import { createNode, type LoggedNode } from '../process.ts'

/** All nodes keep one secret: what one has sealed the others must open. */
export const clusterEnvironment = { TOLLGATE_SECRET: 'one-secret-of-all-nodes-0123456789' }

/** One of several; its folder outlives its processes, with all that they leave in it. */
export interface ClusterNode extends LoggedNode {
  /** Its configuration, for commands beside it. */
  readonly configFile: string
  /** `host:port`, as a load balancer names it. */
  readonly address: string
}

/** Prepares a node; it is started by itself, always on the same port. */
export async function prepareNode(
  parent: string,
  name: string,
  yaml: TollgateYamlOptions,
): Promise<ClusterNode> {
  const folder = join(parent, name)
  mkdirSync(folder)
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const configFile = join(folder, 'tollgate.yaml')
  writeFileSync(configFile, tollgateYaml({ ...yaml, listen: address }), { mode: 0o600 })
  const node = createNode({ name, folder, port, configFile, env: clusterEnvironment })
  return { ...node, configFile, address }
}
