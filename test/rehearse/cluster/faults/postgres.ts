import { Client } from 'pg'
import { between, pick } from '../../../support/random.ts'
import type { Server } from '../server.ts'
import type { ClusterFault, ClusterWorld } from '../world.ts'
import { databaseAway, lasting } from './lasting.ts'

const stopped = (how: Parameters<Server['stop']>[0]): ClusterFault['begin'] =>
  async function begin({ database }, random) {
    const over = lasting(between(random, 0, 8_000))
    await database.primary().stop(how)
    return async () => {
      await over()
      await database.primary().start()
    }
  }

const frozen = (kills: boolean): ClusterFault['begin'] =>
  async function begin({ database, nodes }, random) {
    const over = lasting(between(random, 5_000, 30_000))
    // After some 11 s what waits for its commit is told, or let go.
    const killed = lasting(between(random, 3_000, 20_000))
    const node = pick(random, nodes)
    database.primary().freeze()
    if (kills) {
      await killed()
      await node.kill()
    }
    return async () => {
      await over()
      database.primary().wake()
      if (kills) await node.start()
    }
  }

/** Ends the connections of all nodes. */
const endConnections = ({ rows }: ClusterWorld) =>
  rows(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE application_name LIKE 'tollgate%' AND pid <> pg_backend_pid()`)

/** Takes connections until none is left, and those that others give back. */
async function hoard(url: string, isOver: () => boolean): Promise<void> {
  const clients: Client[] = []
  while (!isOver()) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      clients.push(client)
    } catch {
      await Bun.sleep(20) // there is none at the moment
    }
  }
  await Promise.all(clients.map((client) => client.end()))
}

export const postgresFaults: readonly ClusterFault[] = [
  { ...databaseAway, name: 'PostgreSQL stopped immediate', begin: stopped('immediate') },
  { ...databaseAway, name: 'PostgreSQL stopped fast', begin: stopped('fast') },
  { ...databaseAway, name: 'PostgreSQL killed', begin: stopped('killed') },
  { ...databaseAway, name: 'PostgreSQL frozen', begin: frozen(false) },
  {
    ...{ ...databaseAway, name: 'PostgreSQL frozen and a node killed', stops: true },
    begin: frozen(true),
  },
  {
    ...{ ...databaseAway, name: 'connections of PostgreSQL ended' },
    async begin(world) {
      await endConnections(world)
      return async () => {}
    },
  },
  {
    ...{ ...databaseAway, name: 'connections of PostgreSQL used up' },
    async begin(world, random) {
      const over = lasting(between(random, 3_000, 12_000))
      let isOver = false
      const hoarding = hoard(world.database.primary().url('tollgate'), () => isOver)
      // Else nodes that have all they need notice nothing.
      if (random() < 0.7) await endConnections(world)
      return async () => {
        await over()
        isOver = true
        await hoarding
      }
    },
  },
  {
    ...{ ...databaseAway, name: 'disk of PostgreSQL full' },
    missing: ({ database }) =>
      database.primary().fill ? undefined : 'A disk of its own takes the right to mount one.',
    async begin({ database }, random) {
      const server = database.primary()
      const over = lasting(between(random, 4_000, 12_000))
      server.fill?.()
      return async () => {
        await over()
        server.empty?.()
        // One that could not write its log ends itself.
        await Bun.sleep(500)
        if (!server.isUp()) await server.start()
      }
    },
  },
]
