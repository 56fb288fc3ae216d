import { expect, test } from 'bun:test'
import { describeGoals } from './goals.ts'
import { spreadOf } from './numbers.ts'
import { describeCase } from './report.ts'
import { summarise } from './summary.ts'
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
    { subject: 'bare', rounds: [{ perSecond: 100 }, { perSecond: 50 }, { perSecond: 100 }] },
    {
      subject: 'tollgate',
      rounds: [
        { perSecond: 80, p50Ms: 3 },
        { perSecond: 45, p50Ms: 5 },
        { perSecond: 90, p50Ms: 3.5 },
      ],
    },
    { subject: 'portkey', rounds: [], trouble: 'it does not start' },
  ],
)

test('ratios and added latencies pair what was measured in one round', () => {
  const { figures, ratios } = summary.subjects.tollgate ?? {}
  expect(ratios).toEqual({ bare: { median: 0.9, min: 0.8, max: 0.9 } })
  expect(figures?.addedP50Ms).toEqual({ median: 2.5, min: 2, max: 3 })
})

test('a table names who failed, and the goals say what was met', () => {
  const lines = describeCase(summary, summary)
  expect(lines.find((line) => line.startsWith('tollgate'))).toContain('0.900 (0.800–0.900)  0.900')
  expect(lines.find((line) => line.startsWith('portkey'))).toEndWith('it does not start')
  const goals = describeGoals({ machine: {}, options: {}, cases: { 'json-64': summary } })
  expect(goals.find((line) => line.includes('64 connections, × bare'))).toMatch(/0\.900 +met$/)
  expect(goals.find((line) => line.includes('64 connections, × nginx'))).toEndWith('not measured')
})
