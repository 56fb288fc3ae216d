import { expect, test } from 'bun:test'
import { createPlaces } from '../../src/gateway/places.ts'
import { until } from '../e2e/until.ts'

function scene(most: { requests?: number; connections?: number }, isOpen = () => 0) {
  const places = createPlaces({
    mostRequests: () => most.requests,
    mostConnections: () => most.connections,
    count: isOpen,
  })
  return { places, [Symbol.dispose]: places.stop }
}

test('with no limits there is always a place', () => {
  using one = scene({})
  for (let at = 0; at < 1_000; at++) one.places.enter()
})

test('one request more than the limit is refused, and says whose limit it is', () => {
  using one = scene({ requests: 2 })
  one.places.enter()
  one.places.enter()
  expect(() => one.places.enter()).toThrow('server.max_requests')
  expect(one.places.refused()).toEqual({ requests: 1, connections: 0 })
  one.places.leave()
  one.places.enter()
})

test('too many connections are seen within a second, and so is their end', async () => {
  let open = 11
  using one = scene({ connections: 10 }, () => open)
  await until('the connections to be counted', one.places.areShort)
  expect(() => one.places.enter()).toThrow(/connections open.*server\.max_connections/)
  open = 10
  await until('the connections to be counted again', () => !one.places.areShort())
  one.places.enter()
})
