import { describe, expect, test } from 'bun:test'
import type { WindowName } from '../../../../src/catalog/availability.ts'
import type { State } from '../../../../src/look/states.ts'
import { incidentsOf } from '../../../../src/site/status/page/incidents.ts'
import type { AvailabilityCounts } from '../../../../src/store/ports/availability.ts'
import { figuresOf } from '../figures.ts'

const hourMs = 3_600_000
const nowMs = Date.UTC(2026, 10, 22, 14, 20)
const thisHour = Date.UTC(2026, 10, 22, 14)

/** Hours by how long ago they began, with their requests and failures. */
type Hours = Readonly<Record<number, readonly [requests: number, failed: number]>>
type Counts = { readonly [window in WindowName]?: Partial<AvailabilityCounts> }

function found(hours: Hours, state: State, counts: Counts = {}) {
  const measured = Object.entries(hours)
    .map(([ago, [requests, failed]]) => ({
      ...{ startedAt: thisHour - Number(ago) * hourMs, requests, failed },
    }))
    .sort((a, b) => a.startedAt - b.startedAt)
  const figures = figuresOf([{ groupId: 1, model: 'm', counts }], { hours: () => measured })
  return incidentsOf(1, state, figures, nowMs).map(
    ({ startedAt, endedAt, worst, now, failed, requests }) => {
      const hoursAgo = (ms: number) => (thisHour - ms) / hourMs
      const end = endedAt === null ? now : hoursAgo(endedAt)
      return [hoursAgo(startedAt), end, worst, failed, requests] as (number | string | null)[]
    },
  )
}

describe('incidents are', () => {
  const cases: readonly [name: string, Hours, State, (number | string | null)[][]][] = [
    ['none without requests', {}, 'no_data', []],
    ['none where all is well', { 3: [100, 0], 2: [100, 5], 0: [9, 0] }, 'operational', []],
    [
      'an hour below 95 %',
      { 3: [100, 6], 2: [100, 0] },
      'operational',
      [[3, 2, 'degraded', 6, 100]],
    ],
    ['down below 50 %', { 3: [100, 51] }, 'operational', [[3, 2, 'down', 51, 100]]],
    ['degraded at 50 %', { 3: [100, 50] }, 'operational', [[3, 2, 'degraded', 50, 100]]],
    ['also a single request', { 3: [1, 1] }, 'no_data', [[3, 2, 'down', 1, 1]]],
    [
      'one for consecutive hours, as bad as the worst of them, which it stays',
      { 5: [10, 1], 4: [10, 9], 3: [10, 2], 2: [10, 0] },
      'operational',
      [[5, 2, 'down', 12, 30]],
    ],
    [
      'two where a good hour lies between, the latest first',
      { 5: [10, 1], 4: [10, 0], 3: [10, 2] },
      'operational',
      [
        [3, 2, 'degraded', 2, 10],
        [5, 4, 'degraded', 1, 10],
      ],
    ],
    [
      'two where nothing was measured between',
      { 5: [10, 9], 3: [10, 9] },
      'operational',
      [
        [3, 2, 'down', 9, 10],
        [5, 4, 'down', 9, 10],
      ],
    ],
    [
      'without an end in the present hour, and still going on',
      { 1: [10, 9], 0: [10, 2] },
      'down',
      [[1, 'down', 'down', 11, 20]],
    ],
    [
      'without an end in the present hour, though it works again',
      { 0: [100, 40] },
      'operational',
      [[0, 'operational', 'degraded', 40, 100]],
    ],
    [
      'without an end where the last hour was bad and nothing came since',
      { 1: [10, 9] },
      'down',
      [[1, 'down', 'down', 9, 10]],
    ],
    [
      'ended where the last hour was bad and the present one is not',
      { 1: [10, 9], 0: [99, 0] },
      'operational',
      [[1, 0, 'down', 9, 10]],
    ],
    ['not of hours that are yet to come', { '-1': [10, 10] }, 'operational', []],
  ]
  test.each(cases)('%s', (_, hours, state, incidents) => {
    expect(found(hours, state)).toEqual(incidents)
  })

  test('the last minutes, where they are bad and their hour as a whole is not', () => {
    const counts = { '5m': { succeeded: 2, failed: { upstream: 8, client: 4 } } }
    const hours = { 4: [10, 9], 0: [1000, 8] } as const
    expect(found(hours, 'down', counts)).toEqual([
      [-15 / 60 - 1 / 60, 'down', 'down', 8, 10],
      [4, 3, 'down', 9, 10],
    ])
  })

  test('the last minutes beside the last hour, where the present one as a whole is good', () => {
    const counts = { '5m': { succeeded: 2, failed: { upstream: 8 } } }
    expect(found({ 1: [10, 9], 0: [1000, 8] }, 'down', counts)).toEqual([
      [-15 / 60 - 1 / 60, 'down', 'down', 8, 10],
      [1, 0, 'down', 9, 10],
    ])
  })

  test('the last hour, where too few came in the last minutes', () => {
    const counts = { '5m': { succeeded: 1 }, '1h': { succeeded: 6, failed: { model: 3 } } }
    expect(found({ 1: [300, 1], 0: [300, 2] }, 'degraded', counts)).toEqual([
      [1 - 21 / 60, 'degraded', 'degraded', 3, 9],
    ])
  })
})
