import type { Steps } from './steps.ts'

/**
 * A database that steps are run on. Its errors come out explained; what the steps themselves throw
 * comes out as it is, and takes back what a `write` has done.
 */
export interface Engine {
  /** Reads; each statement sees what is there when it is run. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>
  /** Reads, in several statements, one and the same state. */
  snapshot<Result>(steps: () => Steps<Result>): Promise<Result>
  /**
   * One transaction, as if nobody else wrote meanwhile: all of the steps or nothing. It waits for
   * others who write, and may call `steps` several times.
   */
  write<Result>(steps: () => Steps<Result>): Promise<Result>
}
