/** How long a bucket is. Buckets begin at whole minutes, hours and days of UTC. */
export type BucketSize = 'minute' | 'hour' | 'day'

export const bucketMs = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
} as const satisfies Record<BucketSize, number>

/** The cause of a failure; failures by the client do not count against availability. */
export type Fault = 'client' | 'channel' | 'model' | 'upstream' | 'gateway'

export interface AvailabilityCounts {
  readonly succeeded: number
  /** By fault; a missing one is 0. */
  readonly failed: { readonly [fault in Fault]?: number }
  /** Successes by time to the first byte, up to each of `firstByteBounds`, then the slower ones. */
  readonly firstByte: readonly number[]
  readonly firstByteMs: number
  readonly outputTokens: number
  /** Time between first byte and end, of the answers that `outputTokens` counts. */
  readonly generationMs: number
}

export interface AvailabilityBucket extends AvailabilityCounts {
  readonly groupId: number
  /** As clients name it; only models that the group offered. */
  readonly model: string
  readonly startedAt: number
}

/** How well requests were answered, in buckets that are rolled up and in the end removed. */
export interface AvailabilityStore {
  /** Adds minute buckets to those that are there, and to their hours and days, in one transaction. */
  add(minutes: readonly AvailabilityBucket[]): Promise<void>
  /** Buckets of one size that begin in [since, until), oldest first. */
  read(size: BucketSize, since: number, until: number): Promise<readonly AvailabilityBucket[]>
  /** The same of one group alone: quick, for a few buckets. */
  readGroup(
    groupId: number,
    size: BucketSize,
    since: number,
    until: number,
  ): Promise<readonly AvailabilityBucket[]>
  /** Removes some buckets that are too old: minutes 2 days, hours 35 days, days 400 days. */
  prune(now: number): Promise<void>
}
