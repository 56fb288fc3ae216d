import { Database } from 'bun:sqlite'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runBinary } from '../support/binary.ts'
import { freePort } from '../support/free-port.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { type Crowd, createCrowd } from './clients/crowd.ts'
import { rehearsedOptions } from './config.ts'
import { mountSmallDisk, type SmallDisk } from './disk.ts'
import { createNode, isNodeReady, type LoggedNode } from './process.ts'
import { startUpstream, type Upstream } from './upstream/upstream.ts'
import type { Rows, World } from './world.ts'

/** One node on a file of SQLite. */
export interface OneNode extends World {
  readonly node: LoggedNode
  readonly crowd: Crowd
  readonly upstream: Upstream
  /** The file of the database. */
  readonly database: string
  readonly configFile: string
  /** What the configuration says when it is well. */
  readonly config: string
  /** Where the database lies; undefined: on a disk with everything else. */
  readonly disk: SmallDisk | undefined
  /** An older program. */
  readonly old: string | undefined
}

export interface OneNodeOptions {
  readonly folder: string
  readonly seed: number
  readonly clients: number
  readonly old?: string | undefined
  readonly longestS: number
  readonly workers?: number | undefined
}

export async function startSqliteWorld(options: OneNodeOptions): Promise<OneNode> {
  const { folder, seed, clients, old, longestS, workers = 1 } = options
  const upstream = await startUpstream(seed)
  const port = await freePort()
  const data = join(folder, 'data')
  mkdirSync(data)
  const disk = mountSmallDisk(data)
  const database = join(data, 'tollgate.db')
  const configFile = join(folder, 'tollgate.yaml')
  const config = tollgateYaml({
    ...rehearsedOptions(upstream.urls),
    ...{ listen: `127.0.0.1:${port}`, store: 'data/tollgate.db' },
    // An older program does not know of workers.
    server: { shutdown_grace: '5s', ...(workers > 1 && { workers }) },
  })
  writeFileSync(configFile, config, { mode: 0o600 })
  const node = createNode({ name: 'node', folder, port, configFile })
  const rows = openRows(database)
  const deep = await hasDeep()
  await node.start()
  return {
    ...{ url: node.url, nodes: [node], node, folder, rows, upstream, longestS, workers },
    ...{ database, configFile, config, disk, old, crowd: createCrowd(node.url, clients, seed) },
    async isReady() {
      try {
        if (!(await isNodeReady(node, workers))) return false
        return (await rows('SELECT 1 AS one')).length === 1
      } catch {
        return false // there is no file
      }
    },
    async verify() {
      const words = ['verify', ...(deep ? ['--deep'] : []), '--json', '--config', configFile]
      const { exitCode, stdout, stderr } = await runBinary(words)
      if (exitCode === 0) return undefined
      return `verify ended with ${exitCode}: ${(stdout + stderr).slice(0, 2000)}`
    },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      if (disk === undefined) return
      // What lies on it is gone with it, and may be evidence.
      cpSync(data, join(folder, 'kept'), { recursive: true })
      disk[Symbol.dispose]()
    },
  }
}

/** Each question by a connection of its own: the file may be another one the next time. */
export function openRows(path: string): Rows {
  return async (sql) => {
    using db = new Database(path, { readonly: true, safeIntegers: true })
    db.run('PRAGMA busy_timeout = 5000')
    using statement = db.prepare<Record<string, unknown>, []>(sql)
    return statement.all()
  }
}

async function hasDeep(): Promise<boolean> {
  return (await runBinary(['verify', '--help'])).stdout.includes('--deep')
}
