/** One instant by two clocks, in milliseconds: the monotonic one may stop with the machine, the other one may jump. */
export interface Instant {
  readonly monotonicMs: number
  readonly wallMs: number
}

export type Term = ReturnType<typeof createTerm>

/**
 * How long leases last without a word of the lender. `termMs` is shorter than the time after which the
 * lender takes the borrower for dead. The clock by which more time has passed decides.
 */
export function createTerm(termMs: number) {
  let since: Instant = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY }
  return {
    /**
     * The lender answered what was sent at `sentAt`. `ageMs`: of its own term at its answer, where it has
     * borrowed, too.
     */
    renewed(sentAt: Instant, ageMs = 0): void {
      const monotonicMs = sentAt.monotonicMs - ageMs
      if (monotonicMs >= since.monotonicMs) since = { monotonicMs, wallMs: sentAt.wallMs - ageMs }
    },
    /** How much of it has passed. */
    ageMs: (now: Instant): number => ageOf(since, now),
    /** Whether something may begin on a lease. */
    mayBegin: (now: Instant): boolean => ageOf(since, now) <= termMs,
  }
}

const ageOf = (since: Instant, now: Instant): number =>
  Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs)
