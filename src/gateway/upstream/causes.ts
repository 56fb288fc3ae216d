import { authReasons, errorKinds } from '../errors.ts'
import { type FailureName, failureClasses } from '../failures/failures.ts'

/** Why an exchange was ended from outside: what was left of it is in its record. */
const interruptions = ['client_left', 'shutdown'] as const
export type Interruption = (typeof interruptions)[number]

/**
 * Every cause of a record. `upstream_refused`: the request's fault; `interrupted`: the process
 * ended; `background_lost`: nobody knows the usage.
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
