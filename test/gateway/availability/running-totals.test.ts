import { describe, expect, test } from 'bun:test'
import {
  type AvailabilityOutcome,
  createRunningTotals,
  outcomeNames,
} from '../../../src/gateway/availability/availability.ts'

const outcome = (changes: Partial<AvailabilityOutcome> = {}): AvailabilityOutcome => ({
  ...{ groupId: 1, model: 'small', fault: null },
  ...{ firstByteMs: 120, outputTokens: 10, generationMs: 500 },
  ...changes,
})

describe('requests', () => {
  test('are counted by group, model and outcome', () => {
    const totals = createRunningTotals()
    totals.recordRequest(outcome())
    totals.recordRequest(outcome({ fault: 'client', firstByteMs: null, outputTokens: 0 }))
    totals.recordRequest(outcome({ fault: 'gateway', firstByteMs: 9, outputTokens: 5 }))
    totals.recordRequest(outcome({ groupId: 2, model: 'large' }))
    const counts = totals.groups.get(1)?.models.get('small') ?? []
    const named = outcomeNames.map((name, place) => [name, counts[place]])
    expect(Object.fromEntries(named)).toEqual({
      ...{ succeeded: 1, client: 1, channel: 0, model: 0, upstream: 0, gateway: 1 },
    })
    expect([...(totals.groups.get(2)?.models.keys() ?? [])]).toEqual(['large'])
    // What was delivered before it broke is counted; when it began says nothing of good answers.
    expect(totals.groups.get(1)).toMatchObject({ outputTokens: 15, firstByteMs: 120 })
  })

  test('of 100,000 models are told of 1,000 by name, the others together', () => {
    const totals = createRunningTotals()
    for (let i = 0; i < 100_000; i++) {
      totals.recordRequest(outcome({ groupId: 1 + (i % 4), model: `m${i}` }))
    }
    const names = [...totals.groups.values()].flatMap(({ models }) => [...models.keys()])
    expect(names.filter((name) => name !== 'other')).toHaveLength(1_000)
    expect(names).toHaveLength(1_004)
    const all = [...totals.groups.values()].flatMap(({ models }) => [...models.values()])
    expect(all.flat().reduce((sum, count) => sum + count, 0)).toBe(100_000)
    totals.recordRequest(outcome({ groupId: 1, model: 'm0' }))
    expect(totals.groups.get(1)?.models.get('m0')?.[0]).toBe(2)
  })
})

test('attempts are counted by channel and cause, also by more names than are told', () => {
  const totals = createRunningTotals()
  totals.recordAttempt('main', null)
  totals.recordAttempt('main', 'upstream_failed')
  totals.recordAttempt('main', 'upstream_failed')
  expect([...(totals.attempts.get('main') ?? [])]).toEqual([
    ['', 1],
    ['upstream_failed', 2],
  ])
  for (let i = 0; i < 5_000; i++) totals.recordAttempt(`channel ${i}`, `cause ${i}`)
  expect(totals.attempts.size).toBe(1_001)
  for (const causes of totals.attempts.values()) expect(causes.size).toBeLessThanOrEqual(101)
  const sums = [...totals.attempts.values()].flatMap((causes) => [...causes.values()])
  expect(sums.reduce((sum, count) => sum + count, 0)).toBe(5_003)
})

test('refusals are counted by kind', () => {
  const totals = createRunningTotals()
  for (const kind of ['token', 'group', 'token']) totals.recordLimit(kind)
  expect(Object.fromEntries(totals.limits)).toEqual({ token: 2, group: 1 })
  for (let i = 0; i < 1_000; i++) totals.recordLimit(`kind ${i}`)
  expect(totals.limits.size).toBe(101)
})
