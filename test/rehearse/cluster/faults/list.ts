import { groupFaults } from '../../faults/group.ts'
import type { ClusterFault } from '../world.ts'
import { lineFaults } from './lines.ts'
import { nodeFaults } from './nodes.ts'
import { otherFaults } from './others.ts'
import { postgresFaults } from './postgres.ts'
import { standbyFaults } from './standby.ts'

/** A machine that has no time for anybody says so by this. */
const busy = /the database does not answer","error":"silent for/

/** All faults of several nodes, and of what they stand on. */
export const clusterFaults: readonly ClusterFault[] = [
  ...nodeFaults,
  ...groupFaults,
  ...lineFaults,
  ...postgresFaults,
  ...standbyFaults,
  ...otherFaults,
].map((fault) => ({ logs: busy, ...fault }))
