import type { Database } from 'bun:sqlite'
import { inSlices } from '../../lib/slices.ts'
import {
  type AvailabilityBucket,
  type AvailabilityCounts,
  type AvailabilityStore,
  type BucketSize,
  bucketMs,
  type Fault,
} from '../ports/availability.ts'
import { explained } from './failures.ts'
import { parseColumn } from './json.ts'
import { createPatience } from './patience.ts'

const dayMs = bucketMs.day

/** How long buckets of a size are kept. */
const keptMs = {
  minute: 2 * dayMs,
  hour: 35 * dayMs,
  day: 400 * dayMs,
} as const satisfies Record<BucketSize, number>
const sizes = Object.keys(keptMs) as readonly BucketSize[]

/** What one statement reads or removes: about a millisecond. */
const rowsPerStep = 500
const stepsPerPrune = 100

const find =
  'SELECT counts FROM availability WHERE size = ? AND started_at = ? AND group_id = ? AND model = ?'

const put =
  'INSERT INTO availability (size, started_at, group_id, model, counts) VALUES (?, ?, ?, ?, ?) ' +
  'ON CONFLICT DO UPDATE SET counts = excluded.counts'

const readOn =
  'SELECT started_at AS startedAt, group_id AS groupId, model, counts FROM availability ' +
  'WHERE size = ? AND (started_at, group_id, model) > (?, ?, ?) AND started_at < ? ' +
  `ORDER BY started_at, group_id, model LIMIT ${rowsPerStep}`

const readOfGroup =
  'SELECT started_at AS startedAt, group_id AS groupId, model, counts FROM availability ' +
  'WHERE size = ? AND started_at = ? AND group_id = ? ORDER BY model'

const removeSome =
  'DELETE FROM availability WHERE (size, started_at, group_id, model) IN (SELECT size, started_at, ' +
  `group_id, model FROM availability WHERE size = ? AND started_at < ? LIMIT ${rowsPerStep})`

interface Row {
  readonly startedAt: number
  readonly groupId: number
  readonly model: string
  readonly counts: string
}

/** How well requests were answered: minutes, and with them their hours and days. */
export function createAvailabilityStore(db: Database): AvailabilityStore {
  const patience = createPatience(db)
  const statements = {
    find: db.prepare<{ counts: string }, [BucketSize, number, number, string]>(find),
    put: db.prepare<void, [BucketSize, number, number, string, string]>(put),
    readOn: db.prepare<Row, [BucketSize, number, number, string, number]>(readOn),
    readOfGroup: db.prepare<Row, [BucketSize, number, number]>(readOfGroup),
    removeSome: db.prepare<void, [BucketSize, number]>(removeSome),
  }

  const addAll = db.transaction((minutes: readonly AvailabilityBucket[]) => {
    for (const { groupId, model, startedAt, ...counts } of minutes) {
      for (const size of sizes) {
        const start = startedAt - (startedAt % bucketMs[size])
        const known = statements.find.get(size, start, groupId, model)
        const sum = sumOf(known ? parseColumn(known.counts) : [], encode(counts))
        statements.put.run(size, start, groupId, model, JSON.stringify(sum))
      }
    }
  })

  function* readAll(size: BucketSize, since: number, until: number) {
    const found: AvailabilityBucket[] = []
    let last: Pick<Row, 'startedAt' | 'groupId' | 'model'> = {
      startedAt: since,
      groupId: -1,
      model: '',
    }
    while (true) {
      const { startedAt, groupId, model } = last
      const rows = explained(db.filename, () =>
        statements.readOn.all(size, startedAt, groupId, model, until),
      )
      for (const { counts, ...key } of rows) found.push({ ...key, ...decode(parseColumn(counts)) })
      const end = rows.at(-1)
      if (end === undefined || rows.length < rowsPerStep) return found
      last = end
      yield
    }
  }

  /** One bucket after the other: the key leads to each, past those of all other groups. */
  function* readGroup(groupId: number, size: BucketSize, since: number, until: number) {
    const found: AvailabilityBucket[] = []
    const ms = bucketMs[size]
    for (let startedAt = Math.ceil(since / ms) * ms; startedAt < until; startedAt += ms) {
      const rows = explained(db.filename, () =>
        statements.readOfGroup.all(size, startedAt, groupId),
      )
      for (const { counts, ...key } of rows) found.push({ ...key, ...decode(parseColumn(counts)) })
      yield
    }
    return found
  }

  return {
    add: (minutes) => patience(() => addAll.immediate(minutes)),
    read: (size, since, until) => inSlices(readAll(size, since, until)),
    readGroup: (...asked) => inSlices(readGroup(...asked)),
    async prune(now) {
      let steps = 0
      for (const size of sizes) {
        while (steps++ < stepsPerPrune) {
          const { changes } = await patience(() =>
            statements.removeSome.run(size, now - keptMs[size]),
          )
          if (changes < rowsPerStep) break
          await pause()
        }
      }
    },
  }
}

const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The order in which failures are stored. */
const faults = [
  'client',
  'channel',
  'model',
  'upstream',
  'gateway',
] as const satisfies readonly Fault[]
const sumsBefore = faults.length + 4

/**
 * Counts as they are stored, so that adding them is adding their places: successes, failures, the
 * three sums, then the places of `firstByte`. Zeros at the end are left out.
 */
function encode(counts: AvailabilityCounts): readonly number[] {
  const { succeeded, failed, firstByte, firstByteMs, outputTokens, generationMs } = counts
  const failures = faults.map((fault) => failed[fault] ?? 0)
  return [succeeded, ...failures, firstByteMs, outputTokens, generationMs, ...firstByte]
}

function decode(stored: readonly number[]): AvailabilityCounts {
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

function sumOf(a: readonly number[], b: readonly number[]): readonly number[] {
  const length = Math.max(a.length, b.length)
  const sum = Array.from({ length }, (_, place) => (a[place] ?? 0) + (b[place] ?? 0))
  return sum.slice(0, sum.findLastIndex((count) => count !== 0) + 1)
}
