import { expect, test } from 'bun:test'
import { createPlaces } from '../../src/gateway/places.ts'
import { until } from '../e2e/until.ts'

function scene(most: { requests?: number; connections?: number }, isOpen = () => 0) {
  const state = { active: 0 }
  const places = createPlaces({
    mostRequests: () => most.requests,
    mostConnections: () => most.connections,
    active: () => state.active,
    count: isOpen,
  })
  return { places, state, [Symbol.dispose]: places.stop }
}

test('with no limits there is always a place', () => {
  using one = scene({})
  one.state.active = 1_000_000
  expect(() => one.places.check()).not.toThrow()
})

test('one request more than the limit is refused, and says whose limit it is', () => {
  using one = scene({ requests: 2 })
  one.state.active = 2
  one.places.check()
  one.state.active = 3
  expect(() => one.places.check()).toThrow('server.max_requests')
  expect(one.places.refused()).toEqual({ requests: 1, connections: 0 })
})

test('too many connections are seen within a second, and so is their end', async () => {
  let open = 11
  using one = scene({ connections: 10 }, () => open)
  await until('the connections to be counted', one.places.areShort)
  expect(() => one.places.check()).toThrow(/connections open.*server\.max_connections/)
  open = 10
  await until('the connections to be counted again', () => !one.places.areShort())
  one.places.check()
})
