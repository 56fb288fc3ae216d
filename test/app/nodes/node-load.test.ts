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
  expect(load()).toEqual({
    ...{ requests: 3, streams: 2, requestsPerMinute: 5 },
    ...{ leads: false, counting: 'together' },
  })
  isUnavailable = true
  isLeading = true
  expect(load()).toMatchObject({ leads: true, counting: 'apart' })
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
