import { expect, test } from 'bun:test'
import { createRequestSlots } from '../../src/gateway/admit/request-slots.ts'
import { until } from '../e2e/until.ts'

function scene(most: { requests?: number; connections?: number; most?: number }, isOpen = () => 0) {
  const slots = createRequestSlots({
    mostRequests: () => most.requests,
    mostConnections: () => most.connections,
    count: isOpen,
    most: most.most ?? 1_000,
  })
  return { slots, [Symbol.dispose]: slots.stop }
}

test('with no limits there is always a place', () => {
  using one = scene({})
  for (let at = 0; at < 1_000; at++) one.slots.take()
})

test('one request more than the limit is refused, and says whose limit it is', () => {
  using one = scene({ requests: 2 })
  one.slots.take()
  one.slots.take()
  expect(() => one.slots.take()).toThrow('server.max_requests')
  expect(one.slots.refused()).toEqual({ requests: 1, connections: 0 })
  one.slots.release()
  one.slots.take()
})

test('beyond its number connections are closed, and requests with a good key are answered', async () => {
  let open = 11
  using one = scene({ connections: 10 }, () => open)
  await until('the connections to be counted', one.slots.areConnectionsShort)
  one.slots.take()
  open = 10
  await until('the connections to be counted again', () => !one.slots.areConnectionsShort())
})

test('requests are refused where no files are left for them, until there are', async () => {
  let open = 98
  using one = scene({ most: 100 }, () => open)
  const refusal = () => {
    try {
      one.slots.take()
      return undefined
    } catch (error) {
      return String(error)
    }
  }
  await until('the files to be counted', () => refusal() !== undefined)
  expect(refusal()).toMatch(/connections open.*ulimit -n/)
  open = 97
  await until('the files to be counted again', () => refusal() === undefined)
})
