import type { DifferenceKind, VerifyDifference } from '../../admin/maintenance/schema.ts'

/** Where the address of a database is handed to a job: on a command line all users of a machine see it. */
export const jobUrlVariable = 'TOLLGATE_JOB_URL'

/** How far a job is; `total` 0: it is not known how much it is. */
export interface JobProgress {
  readonly part: string
  readonly done: number
  readonly total: number
}

/** What a verification found. */
export interface VerifyResult {
  readonly kind: 'verify'
  readonly isDamaged: boolean
  readonly requests: number
  readonly entries: number
  readonly accounts: number
  /** USD, exact. */
  readonly charged: string
  readonly durationMs: number
  readonly total: number
  readonly kinds: { readonly [kind in DifferenceKind]?: number }
  /** The first of them. */
  readonly differences: readonly VerifyDifference[]
}

/** A backup that is whole and in its place. */
export interface BackupResult {
  readonly kind: 'backup'
  readonly file: string
  readonly sizeBytes: number
  readonly requests: number
  readonly accounts: number
  readonly entries: number
}

/** A line that the process of a job writes. */
export type JobMessage =
  | { readonly progress: JobProgress }
  | { readonly result: VerifyResult | BackupResult }
  | { readonly failure: string }
