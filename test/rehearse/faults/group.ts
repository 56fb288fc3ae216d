import { startOwnTime } from '../../support/own-time.ts'
import { type GroupProcesses, lives, signal } from '../../support/processes.ts'
import { between, pick, type Random } from '../../support/random.ts'
import type { Fault, RehearsedNode, World } from '../world.ts'

type Choose = (group: GroupProcesses, random: Random) => readonly (number | undefined)[]

const aWorker: Choose = ({ workers }, random) => (workers.length > 0 ? [pick(random, workers)] : [])
const theKeeper: Choose = ({ keeper }) => [keeper]
const theStarter: Choose = ({ starter }) => [starter]
const theChildren: Choose = ({ keeper, workers }) => [keeper, ...workers]
const all: Choose = ({ starter, keeper, workers }) => [starter, keeper, ...workers]

/** Longer than a keeper, or a worker, waits for a sign of the other. */
const longestFreezeS = 20
/** Others end so soon after their starter: 5 s of the program, and some of the machine. */
const endWithinMs = 20_000

/**
 * What a group says when one of its processes ends, or is silent. A keeper that is, or is started again, is to
 * workers what a database is that does not answer.
 */
const logs =
  /has ended; another one takes its place|does not answer|not (stored|settled|followed)|may be charged: its commit/
const disturbed = { allows: ['refusals', 'cut'], logs } as const

const faults: readonly Fault[] = [
  kill('kill a worker', aWorker),
  kill('kill the keeper', theKeeper),
  kill('kill keeper and workers', theChildren),
  {
    ...{ name: 'kill what starts again', ...disturbed },
    async begin({ nodes }, random) {
      const node = pick(random, nodes)
      for (let times = 0; times < 3; times++) {
        const children = signalled(node, theChildren, random)
        if (children.length > 0) signal(pick(random, children), 'SIGKILL')
        await Bun.sleep(random() * 400)
      }
      return async () => {}
    },
  },
  freeze('freeze a worker', aWorker),
  freeze('freeze the keeper', theKeeper),
  freeze('freeze the starter', theStarter),
  {
    ...{ name: 'kill the starter', part: 'process', ...disturbed, stops: true },
    logs: /the stop does not wait any longer|stopped, but this could not be done/,
    async begin({ nodes }, random) {
      const node = pick(random, nodes)
      const [starter, ...others] = signalled(node, all, random)
      if (starter === undefined) return async () => {}
      signal(starter, 'SIGKILL')
      using ownTime = startOwnTime()
      while (others.some(lives)) {
        if (ownTime.now() > endWithinMs)
          throw new Error(`${others.filter(lives)} live on without their starter.`)
        await Bun.sleep(20)
      }
      return () => node.start()
    },
  },
  {
    // Its connections are taken by its successor: nobody is refused.
    ...{ name: 'stop a worker', part: 'process', allows: ['cut'] },
    async begin({ nodes }, random) {
      for (const pid of signalled(pick(random, nodes), aWorker, random)) signal(pid, 'SIGTERM')
      return async () => {}
    },
  },
  {
    // As service managers do.
    ...{ name: 'stop all processes', part: 'process', ...disturbed, stops: true },
    async begin({ nodes }, random) {
      const node = pick(random, nodes)
      for (const pid of signalled(node, theChildren, random)) signal(pid, 'SIGTERM')
      const code = await node.stop()
      if (code !== 0) throw new Error(`It ended with ${code} after SIGTERM.`)
      return () => node.start()
    },
  },
]

/** What becomes of single processes of a gateway with workers. */
export const groupFaults: readonly Fault[] = faults.map((fault) => ({ ...fault, missing }))

function missing({ workers }: World): string | undefined {
  return workers > 1 ? undefined : 'It takes --workers N.'
}

function signalled(node: RehearsedNode, choose: Choose, random: Random): readonly number[] {
  const group = node.processes()
  if (group === undefined) return []
  return choose(group, random).filter((pid) => pid !== undefined)
}

function kill(name: string, choose: Choose): Fault {
  return {
    ...{ name, ...disturbed },
    async begin({ nodes }, random) {
      for (const pid of signalled(pick(random, nodes), choose, random)) signal(pid, 'SIGKILL')
      return async () => {}
    },
  }
}

function freeze(name: string, choose: Choose): Fault {
  return {
    ...{ name, part: 'process', ...disturbed },
    async begin({ nodes, longestS }, random) {
      const frozen = signalled(pick(random, nodes), choose, random)
      for (const pid of frozen) signal(pid, 'SIGSTOP')
      const forMs = between(random, 1, Math.min(longestFreezeS, longestS)) * 1000
      return async () => {
        await Bun.sleep(forMs)
        for (const pid of frozen) signal(pid, 'SIGCONT')
      }
    },
  }
}
