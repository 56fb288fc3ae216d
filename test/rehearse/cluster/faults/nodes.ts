import { between, pick } from '../../../support/random.ts'
import type { ClusterFault } from '../world.ts'
import { databaseAway, lasting, nodeAway } from './lasting.ts'

/** Longer than others wait before they take a silent node for dead: 30 s, looked at every 5 s. */
const takenForDeadS = 46

export const nodeFaults: readonly ClusterFault[] = [
  {
    ...{ name: 'node killed', ...nodeAway },
    async begin({ nodes }, random) {
      const node = pick(random, nodes)
      const over = lasting(between(random, 0, 5_000))
      await node.kill()
      return async () => {
        await over()
        await node.start()
      }
    },
  },
  {
    ...{ name: 'all nodes killed', ...nodeAway },
    async begin({ nodes }, random) {
      const over = lasting(between(random, 0, 2_000))
      await Promise.all(nodes.map((node) => node.kill()))
      return async () => {
        await over()
        await Promise.all(nodes.map((node) => node.start()))
      }
    },
  },
  {
    // The load balancer has been told before: nobody is refused.
    ...{ name: 'node stopped', part: 'node', stops: true },
    async begin({ nodes }, random) {
      const node = pick(random, nodes)
      const code = await node.stop()
      // 1: the database was away, too, and what it did not take waits for the next start.
      if (code > 1) throw new Error(`${node.name} was stopped, and ended with ${code}.`)
      return () => node.start()
    },
  },
  {
    ...{ ...databaseAway, name: 'node frozen', part: 'node' },
    async begin({ nodes, longestS }, random) {
      const node = pick(random, nodes)
      const over = lasting(between(random, 5, Math.min(20, longestS)) * 1000)
      node.freeze()
      return async () => {
        await over()
        node.wake()
      }
    },
  },
  {
    ...{ ...databaseAway, name: 'node taken for dead', part: 'node' },
    missing: ({ longestS }) =>
      longestS > takenForDeadS ? undefined : `It takes more than ${takenForDeadS} s: --longest.`,
    async begin({ nodes, longestS }, random) {
      const node = pick(random, nodes)
      const over = lasting(between(random, takenForDeadS, longestS) * 1000)
      node.freeze()
      return async () => {
        await over()
        node.wake()
      }
    },
  },
]
