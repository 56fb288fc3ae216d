import { direct } from '../director.ts'
import type { RehearsalOptions } from '../rehearse.ts'
import type { Report } from '../report.ts'
import { clusterFaults } from './faults/list.ts'
import { update } from './faults/others.ts'
import { startClusterWorld } from './world.ts'

/** Rehearses faults of several nodes, and of what they stand on. */
export async function rehearseCluster(
  options: RehearsalOptions & { readonly nodes: number },
): Promise<Report> {
  const { seed, from, most = Number.POSITIVE_INFINITY, minutes, only, say, signal } = options
  await using world = await startClusterWorld(options)
  const latest = performance.now() + minutes * 60_000
  const { crowd, upstream, nodes } = world
  return await direct({
    ...{ world, crowd, upstream, seed, from, say, engine: 'postgres' },
    ...{ first: world.old && update },
    faults: clusterFaults.filter(({ name }) => only?.includes(name) ?? true),
    isOver: ({ faults }) =>
      faults >= most || performance.now() > latest || signal?.aborted === true,
    surprises: () => nodes.flatMap(({ surprises }) => surprises),
  })
}
