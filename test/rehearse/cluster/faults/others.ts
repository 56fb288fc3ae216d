import { existsSync } from 'node:fs'
import { until } from '../../../e2e/until.ts'
import { between, pick } from '../../../support/random.ts'
import { isNodeReady } from '../../process.ts'
import type { ClusterNode } from '../node.ts'
import type { ClusterFault, ClusterWorld } from '../world.ts'
import { lasting, nodeAway } from './lasting.ts'

const libraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`,
)

const noOld = ({ old }: ClusterWorld): string | undefined => {
  if (old === undefined) return 'It takes an older program: --old PATH.'
  return old.refusal && `The older program refuses the database: ${old.refusal}`
}

/** Stops a node, and starts one of that version in its place; resolves when it is ready. */
async function replace(node: ClusterNode, binary: string | undefined): Promise<void> {
  await node.stop()
  await node.start(binary === undefined ? {} : { binary })
  await until(`${node.name} to be ready`, () => isNodeReady(node), 60_000)
}

/** A node that is replaced is waited for, which no fault of the database may keep from being ready. */
const takesDatabase = { part: 'database' } as const

/** What begins with an older program is updated under load; the first node makes the tables new. */
export const update: ClusterFault = {
  ...{ name: 'nodes updated one after the other', ...nodeAway },
  async begin({ nodes }) {
    for (const node of nodes) await replace(node, undefined)
    return async () => {}
  },
}

export const otherFaults: readonly ClusterFault[] = [
  {
    ...{ name: 'Valkey killed', part: 'Valkey', allows: ['refusals'] },
    async begin({ valkey }, random) {
      const over = lasting(between(random, 0, 6_000))
      await valkey.stop()
      return async () => {
        await over()
        await valkey.start()
      }
    },
  },
  {
    ...{ name: 'Valkey frozen', part: 'Valkey', allows: ['refusals'] },
    async begin({ valkey }, random) {
      const over = lasting(between(random, 2_000, 15_000))
      valkey.freeze()
      return async () => {
        await over()
        valkey.thaw()
      }
    },
  },
  {
    ...{ name: 'Valkey flushed', part: 'Valkey' },
    async begin({ valkey }) {
      await valkey.ask('FLUSHALL')
      return async () => {}
    },
  },
  {
    ...{ name: 'load balancer started anew', part: 'balancer', allows: ['refusals', 'cut'] },
    async begin({ balancer }) {
      await balancer.restart()
      return async () => {}
    },
  },
  {
    ...{ name: 'one node of an older version', ...nodeAway, ...takesDatabase },
    missing: noOld,
    async begin({ nodes, old }, random) {
      const node = pick(random, nodes)
      const over = lasting(between(random, 1_000, 6_000))
      await replace(node, old?.binary)
      return async () => {
        await over()
        await replace(node, undefined)
      }
    },
  },
  {
    ...{ name: 'all nodes rolled back and forth', ...nodeAway, ...takesDatabase },
    missing: noOld,
    async begin({ nodes, old }) {
      for (const node of nodes) await replace(node, old?.binary)
      return async () => {
        for (const node of nodes) await replace(node, undefined)
      }
    },
  },
  {
    ...{ name: 'clock of a node jumps', ...nodeAway },
    missing: () => (libraries.some(existsSync) ? undefined : 'It takes libfaketime.'),
    async begin({ nodes }, random) {
      const node = pick(random, nodes)
      const over = lasting(between(random, 1_000, 8_000))
      const seconds = pick(random, [-86_400, -3_600, -45, 45, 3_600, 86_400])
      await node.stop()
      await node.start({
        env: {
          LD_PRELOAD: libraries.find(existsSync) ?? '',
          FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        },
      })
      return async () => {
        await over()
        await node.kill()
        await node.start()
      }
    },
  },
]
