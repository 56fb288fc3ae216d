import { createPauses } from '../../lib/slices.ts'
import {
  type AvailabilityBucket,
  type AvailabilityCounts,
  type AvailabilityStore,
  type BucketSize,
  bucketMs,
  type Fault,
} from '../ports/availability.ts'
import { parseColumn } from '../schema/columns.ts'
import { type Sql, sql } from '../schema/sql.ts'
import { all, type Engine, first, run, type Steps } from './steps.ts'

const dayMs = bucketMs.day

const keptMs = {
  minute: 2 * dayMs,
  hour: 35 * dayMs,
  day: 400 * dayMs,
} as const satisfies Record<BucketSize, number>
const sizes = Object.keys(keptMs) as readonly BucketSize[]

/** What one statement reads, writes or removes: about a millisecond. */
const rowsPerStep = 500
const stepsPerPrune = 100

/** How well requests were answered: minutes, and with them their hours and days. */
export function createAvailabilityStore({ read, write }: Engine): AvailabilityStore {
  return {
    add: (minutes) => write(() => addMinutes(minutes)),
    async read(size, since, until) {
      const pause = createPauses()
      const found: AvailabilityBucket[] = []
      let after: Place = { startedAt: since, groupId: -1, model: '' }
      while (true) {
        const from = after
        const rows = await read(() => readOn(size, from, until))
        for (const row of rows) found.push(toBucket(row))
        const last = rows.at(-1)
        if (last === undefined || rows.length < rowsPerStep) return found
        after = last
        await pause()
      }
    },
    async readGroup(groupId, size, since, until) {
      const pause = createPauses()
      const found: AvailabilityBucket[] = []
      const ms = bucketMs[size]
      // Each bucket by its key: a range would read those of all groups.
      for (let startedAt = Math.ceil(since / ms) * ms; startedAt < until; startedAt += ms) {
        const start = startedAt
        for (const row of await read(() => readOfGroup(groupId, size, start))) {
          found.push(toBucket(row))
        }
        await pause()
      }
      return found
    },
    async prune(now) {
      let steps = 0
      for (const size of sizes) {
        while (steps++ < stepsPerPrune) {
          const removed = await write(() => removeSome(size, now - keptMs[size]))
          if (removed < rowsPerStep) break
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
    },
  }
}

type Place = Pick<AvailabilityBucket, 'startedAt' | 'groupId' | 'model'>
type Row = Place & { readonly counts: string }

const selectRows = (size: BucketSize, rest: Sql) => sql<Row>`
  SELECT started_at AS "startedAt", group_id AS "groupId", model, counts FROM availability
  WHERE size = ${size} AND ${rest}`

const inOrder = sql`ORDER BY started_at, group_id, model`

const readOn = (size: BucketSize, { startedAt, groupId, model }: Place, until: number) =>
  all(
    selectRows(
      size,
      sql`(started_at, group_id, model) > (${startedAt}, ${groupId}, ${model})
        AND started_at < ${until} ${inOrder} LIMIT ${sql.lit(rowsPerStep)}`,
    ),
  )

const readOfGroup = (groupId: number, size: BucketSize, startedAt: number) =>
  all(selectRows(size, sql`started_at = ${startedAt} AND group_id = ${groupId} ORDER BY model`))

/** In the order of their key, so that PostgreSQL needs no statistics. */
function* removeSome(size: BucketSize, before: number): Steps<number> {
  const last = yield* first(
    selectRows(
      size,
      sql`started_at < ${before} ${inOrder} LIMIT 1 OFFSET ${sql.lit(rowsPerStep - 1)}`,
    ),
  )
  const old = sql`DELETE FROM availability WHERE size = ${size} AND started_at < ${before}`
  if (last === undefined) return yield* run(old)
  const { startedAt, groupId, model } = last
  return yield* run(
    sql`${old} AND (started_at, group_id, model) <= (${startedAt}, ${groupId}, ${model})`,
  )
}

function* addMinutes(minutes: readonly AvailabilityBucket[]): Steps<void> {
  for (const size of sizes) {
    const added = [...sumsOf(size, minutes).values()]
    for (let from = 0; from < added.length; from += rowsPerStep) {
      yield* addBuckets(size, added.slice(from, from + rowsPerStep))
    }
  }
}

interface Sum extends Place {
  readonly counts: readonly number[]
}

function sumsOf(size: BucketSize, minutes: readonly AvailabilityBucket[]) {
  const sums = new Map<string, Sum>()
  for (const { groupId, model, startedAt: minute, ...counts } of minutes) {
    const startedAt = minute - (minute % bucketMs[size])
    const key = keyOf({ startedAt, groupId, model })
    const sum = addCounts(sums.get(key)?.counts ?? [], encodeCounts(counts))
    sums.set(key, { startedAt, groupId, model, counts: sum })
  }
  return sums
}

const keyOf = ({ startedAt, groupId, model }: Place) => `${startedAt} ${groupId} ${model}`

function* addBuckets(size: BucketSize, added: readonly Sum[]): Steps<void> {
  const known = new Map((yield* all(selectPlaces(size, added))).map((row) => [keyOf(row), row]))
  const rows = added.map((sum) => {
    const { startedAt, groupId, model, counts } = sum
    const before = parseColumn<readonly number[]>(known.get(keyOf(sum))?.counts ?? '[]')
    const sums = JSON.stringify(addCounts(before, counts))
    return sql`(${size}, ${startedAt}, ${groupId}, ${model}, ${sums})`
  })
  yield* run(sql`INSERT INTO availability (size, started_at, group_id, model, counts)
    VALUES ${sql.join(rows)}
    ON CONFLICT (size, started_at, group_id, model) DO UPDATE SET counts = excluded.counts`)
}

/** The rows at these places, each by its key: PostgreSQL may lack statistics for a join. */
function selectPlaces(size: BucketSize, places: readonly Place[]) {
  const rows = places.map(
    ({ startedAt, groupId, model }) =>
      sql`(cast(${startedAt} as bigint), cast(${groupId} as bigint), ${model})`,
  )
  return sql<Place & { readonly counts: string | null }>`
    select column1 as ${sql.ref('startedAt')}, column2 as ${sql.ref('groupId')}, column3 as model,
      (select counts from availability where size = ${size}
        and started_at = column1 and group_id = column2 and model = column3) as counts
    from (values ${sql.join(rows)}) as place`
}

function toBucket({ counts, ...place }: Row): AvailabilityBucket {
  return { ...place, ...decodeCounts(parseColumn(counts)) }
}

const faults: readonly Fault[] = ['client', 'channel', 'model', 'upstream', 'gateway']
const sumsBefore = faults.length + 4

/** Counts as one list: successes, failures, sums, then `firstByte`. */
function encodeCounts(counts: AvailabilityCounts): readonly number[] {
  const { succeeded, failed, firstByte, firstByteMs, outputTokens, generationMs } = counts
  const failures = faults.map((fault) => failed[fault] ?? 0)
  return [succeeded, ...failures, firstByteMs, outputTokens, generationMs, ...firstByte]
}

function decodeCounts(stored: readonly number[]): AvailabilityCounts {
  const [succeeded = 0, ...rest] = stored
  const [firstByteMs = 0, outputTokens = 0, generationMs = 0] = rest.slice(faults.length)
  return {
    succeeded,
    failed: Object.fromEntries(
      faults.map((fault, place) => [fault, rest[place] ?? 0]).filter(([, count]) => count !== 0),
    ),
    firstByte: stored.slice(sumsBefore),
    firstByteMs,
    outputTokens,
    generationMs,
  }
}

function addCounts(a: readonly number[], b: readonly number[]): readonly number[] {
  const length = Math.max(a.length, b.length)
  const sum = Array.from({ length }, (_, place) => (a[place] ?? 0) + (b[place] ?? 0))
  return sum.slice(0, sum.findLastIndex((count) => count !== 0) + 1)
}
