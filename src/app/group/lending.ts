import type { Lease } from '../../leases/messages.ts'
import type { WorkerId } from '../../store/keeper/messages.ts'
import type { Batch, Committed } from '../../store/ports/records.ts'

/** Lends money to workers; the desk gives it all batches that pass. */
export interface Lending {
  /** A worker connects, and says what it owes of the leases of a former connection. */
  joined(worker: WorkerId, owed: unknown): WorkerLoan
}

/** What one worker has borrowed, on one connection. */
export interface WorkerLoan {
  /** A batch arrives: gives what of it goes to the store. Undefined: it is dropped, for the loan is over. */
  arrived(batch: Batch): Batch | undefined
  /** What `arrived` gave is stored: gives the worker's leases. `asked`: the batch as it came. */
  committed(asked: Batch, stored: Batch, committed: Committed): readonly Lease[]
  /** It could not be stored, and the worker is told so. */
  failed(asked: Batch, stored: Batch): void
  /** The worker is dead, or speaks on a new connection. */
  end(): void
}
