import { beforeEach, expect, test } from 'bun:test'
import type { Refused, WorkerReport } from '../../../src/app/group/report.ts'
import { createReports } from '../../../src/app/group/reports.ts'
import { createRunningTotals } from '../../../src/gateway/availability/availability.ts'
import type { WorkerId } from '../../../src/store/keeper/messages.ts'

const none: Refused = { memory: 0, requests: 0, connections: 0 }

/** A worker that counts; its reports are copies, as over the link. */
function createWorker(index: number, pid: number) {
  const totals = createRunningTotals()
  const refused = { ...none }
  const load = { requests: 2, streams: 1, requestsPerMinute: 30, memoryBytes: 500, cpuPercent: 40 }
  return {
    id: { index, pid },
    refused,
    answers(count = 1): void {
      for (let done = 0; done < count; done++) {
        const timed = { firstByteMs: 120, outputTokens: 10, generationMs: 100 }
        totals.recordRequest({ groupId: 1, model: 'small', fault: null, ...timed })
        totals.recordAttempt('main', null)
        totals.recordLimit('token')
        totals.recordRefusal('unknown_key')
      }
    },
    report(): WorkerReport {
      const { groups, attempts, limits, refusals } = totals
      const memory = { residentBytes: 900, budgetBytes: 0, usedBytes: 0, waiting: 0 }
      return structuredClone({
        ...{ totals: { groups, attempts, limits, refusals }, refused, memory },
        load: { ...load, leads: false, counting: 'alone' },
        ...{ recent: new Map([[7, { attempts: 3, failed: 1 }]]), isBehind: false },
        ...{ cpuSeconds: 1, openFiles: 9, lagMs: 2 },
      } as const)
    },
  }
}

type TestWorker = ReturnType<typeof createWorker>

let workers: TestWorker[]
let first: TestWorker
let other: TestWorker

beforeEach(() => {
  first = createWorker(0, 100)
  other = createWorker(1, 101)
  workers = [first, other]
})

const answersOf = (all: readonly TestWorker[]) =>
  all.map((worker) => ({ worker: worker.id, value: worker.report() }))

/** A keeper's reports; `look` asks the workers, as each second does. */
function open(earlier: readonly WorkerId[] = []) {
  let onTime = () => {}
  let asked = Promise.resolve(answersOf([]))
  const own = createRunningTotals()
  const reports = createReports({
    desk: { ask: () => asked },
    earlier,
    repeat(task) {
      onTime = task
      return () => {}
    },
  })
  return {
    reports,
    async look(answers: typeof asked = Promise.resolve(answersOf(workers))): Promise<void> {
      asked = answers
      onTime()
      await reports.stop()
    },
    /** Each sum that a metric shows. */
    counts() {
      const { groups, attempts, limits, refusals } = reports.totals(own)
      const group = groups.get(1)
      return {
        succeeded: group?.models.get('small')?.[0] ?? 0,
        timed: group?.firstByte.reduce((sum, count) => sum + count, 0) ?? 0,
        firstByteMs: group?.firstByteMs ?? 0,
        outputTokens: group?.outputTokens ?? 0,
        attempts: attempts.get('main')?.get('') ?? 0,
        limits: limits.get('token') ?? 0,
        refusals: refusals.get('unknown_key') ?? 0,
        overloaded: reports.refused(none).memory,
      }
    },
  }
}

const countsAfter = (requests: number, overloaded: number) => ({
  ...{ succeeded: requests, timed: requests, firstByteMs: 120 * requests },
  ...{ outputTokens: 10 * requests, attempts: requests, limits: requests, refusals: requests },
  overloaded,
})

test('totals are the sum of all, and do not fall when a worker is replaced', async () => {
  const { reports, look, counts } = open()
  first.answers(5)
  other.answers(3)
  first.refused.memory = 2
  other.refused.memory = 1
  await look()
  expect(counts()).toEqual(countsAfter(8, 3))
  reports.died(first.id)
  expect(counts()).toEqual(countsAfter(8, 3))
  reports.died(first.id)
  first = createWorker(0, 200)
  workers = [first, other]
  await look()
  expect(counts()).toEqual(countsAfter(8, 3))
  first.answers(2)
  await look()
  expect(counts()).toEqual(countsAfter(10, 3))
})

test('a worker whose successor reports before its death is known counts once', async () => {
  const { reports, look, counts } = open()
  first.answers(5)
  await look()
  const dead = first.id
  workers = [createWorker(0, 200), other]
  await look()
  expect(counts()).toEqual(countsAfter(5, 0))
  reports.died(dead)
  expect(counts()).toEqual(countsAfter(5, 0))
  await look()
  expect(counts()).toEqual(countsAfter(5, 0))
})

test('a worker that dies while the others are asked counts once', async () => {
  const { reports, look, counts } = open()
  first.answers(5)
  await look()
  const slow = Promise.withResolvers<ReturnType<typeof answersOf>>()
  const looked = look(slow.promise)
  const answers = answersOf(workers)
  reports.died(first.id)
  slow.resolve(answers)
  await looked
  expect(counts()).toEqual(countsAfter(5, 0))
  workers = [createWorker(0, 200), other]
  await look()
  expect(counts()).toEqual(countsAfter(5, 0))
})

test('a keeper that starts anew counts from zero, as its metrics begin anew', async () => {
  first.answers(1_000)
  first.refused.memory = 4
  const { reports, look, counts } = open([first.id])
  await look()
  expect(counts()).toEqual(countsAfter(0, 0))
  first.answers(2)
  other.answers(1)
  first.refused.memory = 5
  await look()
  expect(counts()).toEqual(countsAfter(3, 1))
  reports.died(first.id)
  workers = [other]
  await look()
  expect(counts()).toEqual(countsAfter(3, 1))
})

test('the load is the sum, with the keeper and each worker as a row of its own', async () => {
  const { reports, look } = open()
  workers = [other, first]
  await look()
  const own = {
    ...{ requests: 0, streams: 0, requestsPerMinute: 0, memoryBytes: 1_000, cpuPercent: 5 },
    ...{ leads: true, counting: 'alone' as const },
  }
  const worker = {
    ...{ requests: 2, streams: 1, requestsPerMinute: 30, memoryBytes: 500, cpuPercent: 40 },
  }
  expect(reports.load(own)).toEqual({
    ...{ requests: 4, streams: 2, requestsPerMinute: 60, memoryBytes: 2_000, cpuPercent: 85 },
    ...{ leads: true, counting: 'alone' },
    processes: [
      {
        ...{ worker: null, pid: process.pid, requests: 0, streams: 0, requestsPerMinute: 0 },
        ...{ memoryBytes: 1_000, cpuPercent: 5 },
      },
      { worker: 0, pid: 100, ...worker },
      { worker: 1, pid: 101, ...worker },
    ],
  })
  expect(reports.recent({ attempts: 1, failed: 0 }, 7)).toEqual({ attempts: 7, failed: 2 })
})
