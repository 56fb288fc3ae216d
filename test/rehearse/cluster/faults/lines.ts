import { between, pick } from '../../../support/random.ts'
import type { Direction, Line } from '../line.ts'
import type { ClusterFault, ClusterWorld } from '../world.ts'
import { databaseAway, lasting } from './lasting.ts'

type LinesOf = (world: ClusterWorld, random: () => number) => readonly Line[]

/** Bytes vanish in silence; then they come late, or the network has forgotten its connections. */
const silent = (
  name: string,
  lines: LinesOf,
  directions: readonly Direction[],
): Pick<ClusterFault, 'name' | 'begin'> => ({
  name,
  async begin(world, random) {
    const cut = lines(world, random)
    const forgets = random() < 0.5
    const over = lasting(between(random, 1_000, 15_000))
    for (const line of cut) line.cut(directions)
    return async () => {
      await over()
      for (const line of cut) line.mend(forgets)
    }
  },
})

const one: LinesOf = ({ databaseLines }, random) => [pick(random, databaseLines)]
const all: LinesOf = ({ databaseLines }) => databaseLines
const toValkey: LinesOf = ({ valkeyLines }, random) => [pick(random, valkeyLines)]
const both = ['out', 'back'] as const

export const lineFaults: readonly ClusterFault[] = [
  { ...databaseAway, ...silent('database hears nothing of a node', one, ['out']) },
  { ...databaseAway, ...silent('node hears nothing of the database', one, ['back']) },
  { ...databaseAway, ...silent('node cut off from the database', one, both) },
  { ...databaseAway, ...silent('database hears nothing of all nodes', all, ['out']) },
  { ...databaseAway, ...silent('all nodes hear nothing of the database', all, ['back']) },
  { ...databaseAway, ...silent('all nodes cut off from the database', all, both) },
  {
    ...{ part: 'Valkey', allows: ['refusals'] },
    ...silent('node cut off from Valkey', toValkey, both),
  },
  {
    ...{ ...databaseAway, name: 'node cut off from the database and killed', stops: true },
    async begin({ nodes, databaseLines }, random) {
      const at = Math.floor(random() * nodes.length)
      const [node, line] = [nodes[at], databaseLines[at]]
      if (node === undefined || line === undefined) throw new Error(`There is no node ${at}.`)
      // Long enough for a commit to be given up, and its answer to be let go.
      const silence = lasting(between(random, 4_000, 20_000))
      line.cut(pick(random, [['out'], ['back'], both] as const))
      await silence()
      await node.kill()
      return async () => {
        line.mend(random() < 0.5)
        await node.start()
      }
    },
  },
]
