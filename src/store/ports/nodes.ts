export interface NodeView {
  readonly id: number
  /** Shown to operators: where it runs. */
  readonly name: string
  readonly version: string
  /** By the clock of the store, as all times here. */
  readonly startedAt: number
  /** The last heartbeat, and its age. */
  readonly seenAt: number
  readonly silentMs: number
  /** Whether its last heartbeat is within `silentNodeMs`. */
  readonly isAlive: boolean
  readonly load: NodeLoad
}

/** A node's load. Values that another version does not report are absent. */
export interface NodeLoad {
  readonly requests?: number
  readonly streams?: number
  readonly requestsPerMinute?: number
  /** Of all its processes; what they share counts once. */
  readonly memoryBytes?: number
  /** CPU time of the last minute, in percent of one core. */
  readonly cpuPercent?: number
  /** Keeper and workers, where several processes are one node. */
  readonly processes?: readonly ProcessLoad[]
  /** It builds the documents that all nodes serve. */
  readonly leads?: boolean
  readonly counting?: Counting
}

/** One process of a node that has several. */
export interface ProcessLoad {
  /** The worker's number; null: the keeper. */
  readonly worker: number | null
  readonly pid: number
  readonly requests: number
  readonly streams: number
  readonly requestsPerMinute: number
  /** Of a worker, without the pages of the program, which the keeper counts for all. */
  readonly memoryBytes: number
  readonly cpuPercent: number
}

/** How a node counts limits: with the others, within its share while they are out of reach, or alone. */
export type Counting = 'together' | 'apart' | 'alone'

export interface NodeReservations {
  /** Null: of a process that is in no list. */
  readonly nodeId: number | null
  readonly requests: number
  /** With its leases, which cover requests that reserve nothing of their own. */
  readonly amountNano: number
}

/** After this time without a heartbeat a node is dead: its reservations are closed, its leases end. */
export const silentNodeMs = 30_000

export interface NodeStore {
  /** Enters a node; resolves to its id. One that was forgotten while it lived gives the id that it had. */
  register(node: Pick<NodeView, 'name' | 'version'> & { readonly id?: number }): Promise<number>
  /** The heartbeat; false: the node is not in the list and must register again. */
  heartbeat(id: number, load: NodeLoad): Promise<boolean>
  /** Oldest first. */
  list(): Promise<readonly NodeView[]>
  /** Reservations by node; those of dead nodes may stay for some seconds. */
  reservations(): Promise<readonly NodeReservations[]>
  /** Takes one out of the list and ends its leases; with `seenAt` only where it was not heard of since. */
  forget(id: number, seenAt?: number): Promise<void>
  /** Closes reservations of dead nodes, older than `silentNodeMs`, and ends their leases; gives how many. */
  sweepDead(): Promise<number>
}
