import { expect, test } from 'bun:test'
import { readGarbage } from './garbage.ts'
import { describeGoals } from './goals.ts'
import { spreadOf } from './numbers.ts'
import { describeCase } from './report.ts'
import { summarise } from './summary.ts'
import { readCalls } from './system-calls.ts'
import { parseWrk } from './wrk.ts'

test('a spread is the middle, the lowest and the highest of what was measured', () => {
  expect(spreadOf([3, 1, Number.NaN, 2])).toEqual({ median: 2, min: 1, max: 3 })
  expect(spreadOf([4, 1, 2, 3])?.median).toBe(2)
  expect(spreadOf([Number.NaN])).toBeUndefined()
})

test('the line that the script makes wrk write is read', () => {
  const line = (failed: number) =>
    `Running 1s test\n{"requests":3000,"durationUs":1500000,"p50Us":250,"p90Us":1500,"p99Us":2500,"failed":${failed}}\n`
  expect(parseWrk(line(0))).toEqual({
    ...{ perSecond: 2000, requests: 3000 },
    ...{ p50Ms: 0.25, p90Ms: 1.5, p99Ms: 2.5 },
  })
  expect(() => parseWrk(line(2))).toThrow('2 of 3000 requests failed')
  expect(() => parseWrk('unable to connect')).toThrow('unable to connect')
})

const summary = summarise(
  {
    ...{ title: 'small JSON, 64 connections', counts: 'requests' },
    comparison: { figure: 'perSecond', with: ['bare'] },
  },
  [
    { subject: 'direct', rounds: [{ p50Ms: 1 }, { p50Ms: 2 }, { p50Ms: 1 }] },
    {
      subject: 'bare',
      rounds: [100, 50, 100].map((perSecond) => ({ perSecond, perCoreSecond: 100 })),
    },
    {
      subject: 'tollgate',
      rounds: [
        { perSecond: 80, perCoreSecond: 60, p50Ms: 3 },
        { perSecond: 45, perCoreSecond: 50, p50Ms: 5 },
        { perSecond: 90, perCoreSecond: 58, p50Ms: 3.5 },
      ],
    },
    { subject: 'portkey', rounds: [], trouble: 'it does not start' },
  ],
)

test('ratios and added latencies pair what was measured in one round', () => {
  const { figures, ratios, coreRatios } = summary.subjects.tollgate ?? {}
  expect(ratios).toEqual({ bare: { median: 0.9, min: 0.8, max: 0.9 } })
  expect(coreRatios).toEqual({ bare: { median: 0.58, min: 0.5, max: 0.6 } })
  expect(figures?.addedP50Ms).toEqual({ median: 2.5, min: 2, max: 3 })
})

test('a table names who failed, and the goals say what was met', () => {
  const lines = describeCase(summary, summary)
  expect(lines.find((line) => line.startsWith('tollgate'))).toMatch(
    /0\.900 \(0\.800–0\.900\) +0\.900 +0\.580 \(0\.500–0\.600\)/,
  )
  expect(lines.find((line) => line.startsWith('portkey'))).toEndWith('it does not start')
  const goals = describeGoals({ machine: {}, options: {}, cases: { 'json-64': summary } })
  expect(goals.find((line) => line.includes('64 connections, × bare'))).toMatch(/0\.580 +met$/)
  expect(goals.find((line) => line.includes('system calls'))).toEndWith('not measured')
})

test('the lines of the collector and the table of strace are read', () => {
  const line = (before: number, after: number, pauseMs: number) =>
    `[GC<0x1>: START M ${before}kb => EdenCollection, v=0kb (C:0) i#3:P<Msm(0)> => ${after}kb, p=${pauseMs}ms (max 9.1), cycle 2.8ms END]\n`
  const text = `${line(40_000, 22_000, 2.9)}GC END!\n${line(41_000, 23_000, 3.25)}`
  expect(readGarbage(text)).toEqual({ gatheredKb: 36_000, collections: 2, longestPauseMs: 3.25 })
  const table = ` 61.97    3.797757        6745       563       104 futex
100.00    6.128000          40    152310       105 total\n`
  expect(readCalls(table)).toBe(152_310)
  expect(readCalls('attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted')).toBeUndefined()
})
