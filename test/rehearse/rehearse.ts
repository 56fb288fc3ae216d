import { direct } from './director.ts'
import { chooseFaults } from './faults/single.ts'
import type { Report } from './report.ts'
import { startSqliteWorld } from './sqlite-world.ts'

export interface RehearsalOptions {
  /** Of the database and all logs; it stays there. */
  readonly folder: string
  readonly seed: number
  /** Which fault of the seed's list is the first one, from 1. */
  readonly from: number
  /** How many faults at most. */
  readonly most?: number | undefined
  readonly minutes: number
  readonly clients: number
  /** How long a process stays frozen at most, in seconds. */
  readonly longestS: number
  /** How many workers a node has. */
  readonly workers?: number | undefined
  /** An older program. */
  readonly old?: string | undefined
  /** Names of the faults that are meant; else all. */
  readonly only?: readonly string[] | undefined
  /** What was asked for beside, as a replay has to. */
  readonly words?: string
  readonly say: (line: string) => void
  /** Ends it after the fault that is under way. */
  readonly signal?: AbortSignal
}

/** Rehearses faults of one node on SQLite. */
export async function rehearseSqlite(options: RehearsalOptions): Promise<Report> {
  const { seed, from, most = Number.POSITIVE_INFINITY, minutes, only } = options
  const { say, signal, words } = options
  await using world = await startSqliteWorld(options)
  const latest = performance.now() + minutes * 60_000
  const { crowd, upstream, node } = world
  return await direct({
    ...{ world, crowd, upstream, seed, from, say, words, engine: 'sqlite' },
    faults: chooseFaults(only),
    isOver: ({ faults }) =>
      faults >= most || performance.now() > latest || signal?.aborted === true,
    surprises: () => node.surprises,
  })
}
