import type { GroupProcesses } from '../support/processes.ts'

/** The database, read from outside by a connection of its own. */
export type Rows = (sql: string) => Promise<readonly { readonly [column: string]: unknown }[]>

/** One gateway: a process, or a group of them. */
export interface RehearsedNode {
  readonly name: string
  /** Its own address (readyz, metrics). */
  readonly url: string
  /** Of the process that was started. */
  readonly pid: () => number | undefined
  /** All its processes of now. Undefined: it is down. */
  readonly processes: () => GroupProcesses | undefined
  isUp(): boolean
  start(options?: {
    readonly env?: Readonly<Record<string, string>>
    readonly binary?: string
  }): Promise<void>
  /** SIGKILL to all its processes, another signal to the one that was started; resolves when it has exited. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number>
  /** SIGSTOP to all its processes. */
  freeze(): void
  /** SIGCONT to all its processes. */
  wake(): void
  /** Its log lines so far. */
  log(): readonly string[]
}

export interface World {
  /** Where clients ask: the node, or the load balancer. */
  readonly url: string
  readonly nodes: readonly RehearsedNode[]
  /** How many workers each node has. */
  readonly workers: number
  /** So long a fault may last, in seconds. */
  readonly longestS: number
  /** Of databases, logs, spools. */
  readonly folder: string
  readonly rows: Rows
  /** The store is reachable and every node's /readyz answers 200. */
  isReady(): Promise<boolean>
  /** `tollgate verify --deep --json` beside it; undefined: nothing wrong. */
  verify(): Promise<string | undefined>
  [Symbol.asyncDispose](): Promise<void>
}

export interface Fault<W extends World = World> {
  readonly name: string
  /** What it is done to: two faults of one part do not come together. */
  readonly part?: string
  /** In words why this machine or run can't have it; undefined: it can. */
  missing?(world: W): string | undefined
  /** What clients may be told by it beside errors (for example: nothing is lost, only refused). */
  readonly allows?: readonly ('refusals' | 'cut')[]
  /** What it may make a node log as an error; all other errors are findings. */
  readonly logs?: RegExp
  /** A node may end by it, or be down while it lasts. */
  readonly stops?: true
  /** A node that is started while it lasts may end with 1. */
  readonly refusesStarts?: true
  /**
   * Begins it; resolves to what ends it. `random` is seeded: a replay draws the same. What either
   * throws is a finding.
   */
  begin(world: W, random: () => number): Promise<() => Promise<void>>
}
