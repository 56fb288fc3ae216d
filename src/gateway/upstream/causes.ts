import { authReasons, errorKinds } from '../errors.ts'
import { type FailureName, failureClasses } from '../failures/failures.ts'

/** Why an exchange was ended from outside: what was left of it is in its record. */
const interruptions = ['client_left', 'shutdown'] as const
export type Interruption = (typeof interruptions)[number]

/**
 * Every machine word that a request's record can have as its cause. `upstream_refused`: the upstream
 * found fault with the request itself; `interrupted`: the process ended without recording it; `background_lost`: nobody
 * can tell what an answer has used that was made in the background.
 */
export const requestCauses = [
  ...errorKinds,
  ...authReasons,
  ...interruptions,
  'upstream_refused',
  'interrupted',
  'background_lost',
] as const
export type RequestCause = (typeof requestCauses)[number]

/** The same of an attempt. `abandoned`: nobody needed its answer any more. */
export const attemptCauses = [
  ...(Object.keys(failureClasses) as readonly FailureName[]),
  ...requestCauses,
  'abandoned',
] as const
export type AttemptCause = (typeof attemptCauses)[number]
