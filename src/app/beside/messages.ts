import type { Job, Refused, Results } from '../../gateway/beside/job.ts'
import type { TextKeys } from '../../lib/secrets.ts'

/** From the gateway to its other thread: first the keys, then job after job. */
export type ToThread = { readonly keys: TextKeys } | { readonly job: Job }

/** The answer to one job. */
export type Done =
  | { readonly result: Results[Job['kind']] | Refused }
  | { readonly failure: string }

/** It listens, or has done a job. */
export type FromThread = { readonly ready: true } | Done
