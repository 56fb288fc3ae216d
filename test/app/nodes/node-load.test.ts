import { expect, test } from 'bun:test'
import { createNodeLoad } from '../../../src/app/membership.ts'

test('what a node is doing is read anew each time', () => {
  let isUnavailable = false
  let isLeading = false
  let begun = 0
  const load = createNodeLoad(
    { requestCount: () => begun, active: () => 3, activeStreams: () => 2 },
    { isUnavailable: () => isUnavailable },
    { isLeading: () => isLeading },
    () => 0,
  )
  begun = 5
  expect(load()).toMatchObject({
    ...{ requests: 3, streams: 2, requestsPerMinute: 5 },
    ...{ leads: false, counting: 'together' },
  })
  isUnavailable = true
  isLeading = true
  expect(load()).toMatchObject({ leads: true, counting: 'apart' })
})

test('the CPU share is of the last minute, and memory is that of the process', () => {
  let nowTick = 0
  const load = createNodeLoad(
    { requestCount: () => 0, active: () => 0, activeStreams: () => 0 },
    undefined,
    undefined,
    () => nowTick,
  )
  expect(load().cpuPercent).toBe(0)
  const spentFrom = process.cpuUsage().user
  while (process.cpuUsage().user - spentFrom < 20_000);
  nowTick = 100
  // 20 ms and more in 100 ms.
  expect(load().cpuPercent).toBeGreaterThanOrEqual(20)
  expect(load().memoryBytes).toBeGreaterThan(1e6)
})

test('without others it leads, and counts alone', () => {
  const load = createNodeLoad(
    { requestCount: () => 0, active: () => 0, activeStreams: () => 0 },
    undefined,
    undefined,
    () => 0,
  )
  expect(load()).toMatchObject({ leads: true, counting: 'alone' })
})
