import type { Batch, MoneyLimit } from '../../store/ports/records.ts'

export type Denial = MoneyLimit | 'busy' | undefined

/** Callbacks of a stored item: each is called once, and must not throw. */
export interface CommitListener {
  resolve(denial: Denial): void
  reject(error: unknown): void
}

/** A part of a batch, and who waits for it. */
export interface Item {
  readonly requestId: string
  readonly part: Batch
  readonly listener: CommitListener
  /** An answer goes out by it: if the store does not take it, the spool does. */
  readonly isSpoolable: boolean
  /** How often it was denied. */
  readonly denials?: number
}
