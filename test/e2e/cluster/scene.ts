import { mkdirSync } from 'node:fs'
import { type RunningBinary, runBinary, startBinary } from '../../support/binary.ts'
import { freePort } from '../../support/free-port.ts'
import { openTablesAt } from '../../support/tables.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { type TollgateYamlOptions, tollgateYaml } from '../../support/tollgate-yaml.ts'
import { type LogLine, logLines } from '../../torture/gateway.ts'
import { balancers, startBalancer } from '../balancer.ts'

// Several compiled gateways on one PostgreSQL, with one Valkey where a test has one, behind nginx.

/** All nodes keep one secret: what one has sealed the others must open. */
const env = { TOLLGATE_SECRET: 'one-secret-of-all-nodes-0123456789' }

/** A gateway that can be killed and started again, on the same port. */
export interface Node {
  readonly url: string
  isUp(): boolean
  /** Of its process; undefined while it is down. */
  pid(): number | undefined
  /** Resolves when it answers. */
  start(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** All that its processes have logged. */
  said(): readonly LogLine[]
}

export interface Cluster extends AsyncDisposable {
  readonly nodes: readonly Node[]
  /** Of nginx, which sends each request to one of the nodes. */
  readonly url: string
  /** The configuration of the first node. */
  readonly configFile: string
  rows<Row extends object>(sql: string): Promise<readonly Row[]>
  /** Runs a command of the program with the first node's configuration. */
  run(...words: readonly string[]): ReturnType<typeof runBinary>
}

export interface ClusterOptions extends TollgateYamlOptions {
  /** URL of an empty database. */
  readonly store: string
  /** How many there are at first; default 3. */
  readonly count?: number
}

/** Starts the nodes one after the other, and nginx before them. */
export async function startCluster({ count = 3, ...yaml }: ClusterOptions): Promise<Cluster> {
  const folder = createTempDir('tollgate-cluster')
  const nodes: Node[] = []
  const ports: number[] = []
  const end = async () => {
    await Promise.all(nodes.map((node) => node.kill()))
    folder.remove()
  }
  try {
    for (let at = 0; at < count; at++) {
      const port = await freePort()
      ports.push(port)
      nodes.push(await startNode(folder.join(`node-${at}`), port, yaml))
    }
    const addresses = ports.map((port) => `127.0.0.1:${port}`)
    const front = await startBalancer(balancers.nginx, addresses, { isPlain: true })
    const tables = openTablesAt(yaml.store)
    const configFile = folder.join('node-0', 'tollgate.yaml')
    return {
      nodes,
      url: front.url,
      configFile,
      rows: (sql) => tables.rows(sql),
      run: (...words) => runBinary([...words, '--config', configFile], { env }),
      async [Symbol.asyncDispose]() {
        await tables[Symbol.asyncDispose]()
        await front[Symbol.asyncDispose]()
        await end()
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function startNode(cwd: string, port: number, yaml: TollgateYamlOptions): Promise<Node> {
  mkdirSync(cwd)
  const earlier: LogLine[] = []
  let running: RunningBinary | undefined
  const node: Node = {
    url: `http://127.0.0.1:${port}`,
    isUp: () => running !== undefined,
    pid: () => running?.pid,
    async start() {
      running = await startBinary({
        ...{ cwd, port, env, args: ['serve', '--log', 'json'], readyMs: 30_000 },
        config: (listen) => tollgateYaml({ listen, ...yaml }),
      })
    },
    async kill() {
      const ended = running
      running = undefined
      await ended?.kill('SIGKILL')
      if (ended) earlier.push(...logLines(ended))
    },
    said: () => [...earlier, ...(running ? logLines(running) : [])],
  }
  await node.start()
  return node
}
