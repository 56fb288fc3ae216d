import type { OneNode } from '../sqlite-world.ts'
import type { Fault } from '../world.ts'
import { besideFaults } from './beside.ts'
import { clockFaults } from './clock.ts'
import { diskFaults } from './disk.ts'
import { groupFaults } from './group.ts'
import { limitFaults } from './limits.ts'
import { nameFaults } from './names.ts'
import { processFaults } from './process.ts'
import { upstreamFaults } from './upstream.ts'
import { versionFaults } from './versions.ts'

/** Everything that can happen to one node on a file of SQLite. */
export const allFaults: readonly Fault<OneNode>[] = [
  ...processFaults,
  ...groupFaults,
  ...besideFaults,
  ...diskFaults,
  ...clockFaults,
  ...limitFaults,
  ...versionFaults,
  ...nameFaults,
  ...upstreamFaults,
]

/** Those with these names; else all. */
export const chooseFaults = (only: readonly string[] | undefined): readonly Fault<OneNode>[] =>
  allFaults.filter(({ name }) => only?.includes(name) ?? true)
