import { expect, test } from 'bun:test'
import { createRefusalLog } from '../../src/gateway/request-log.ts'
import { createLogger } from '../../src/lib/log.ts'

function scene() {
  const lines: Record<string, unknown>[] = []
  const sink = (line: string) => lines.push(JSON.parse(line))
  const causes: string[] = []
  let endMinute = () => {}
  const refusals = createRefusalLog(
    createLogger({ sink, pretty: false, clock: () => 0, level: 'info' }),
    (task) => {
      endMinute = task
      return () => {}
    },
    (cause) => causes.push(cause),
  )
  /** How many of so many get a line of their own. */
  const refuse = (count: number, cause: string, more: { from?: string; tokenId?: number } = {}) => {
    const { from = '192.0.2.1', tokenId } = more
    const token =
      tokenId === undefined ? undefined : { id: tokenId, name: 'laptop', account: 'a@b.example' }
    const address = () => from
    let single = 0
    for (let at = 0; at < count; at++) {
      if (refusals.isSingle({ cause, status: 401, token, address })) single++
    }
    return single
  }
  return { lines, causes, refusals, refuse, endMinute: () => endMinute() }
}

test('the first refusals of a minute are told one by one, the others in one line for each cause', () => {
  const { lines, causes, refuse, endMinute } = scene()
  expect(refuse(3, 'body_too_large')).toBe(3)
  expect(refuse(4_000, 'unknown')).toBe(10)
  expect(refuse(500, 'unknown', { from: '192.0.2.2' })).toBe(0)
  expect(refuse(5_000, 'unknown', { from: '198.51.100.1' })).toBe(0)
  expect(lines).toEqual([])
  endMinute()
  expect(lines).toEqual([
    expect.objectContaining({
      ...{ level: 'warn', message: 'requests refused', cause: 'unknown', status: 401 },
      ...{ count: 9_490, addresses: 3, busiest_address: '198.51.100.1', of_address: 5_000 },
      ...{ busiest_network: '198.51.100.0/24', of_network: 5_000 },
    }),
  ])
  expect(causes.length).toBe(9_503)
  endMinute()
  expect([refuse(1, 'unknown'), lines.length]).toEqual([1, 1])
})

test('those of a token are counted by themselves, and what was counted is written at the stop', () => {
  const { lines, refuse, refusals } = scene()
  expect(refuse(100, 'balance', { tokenId: 1 })).toBe(60)
  expect(refuse(20, 'balance', { tokenId: 2 })).toBe(20)
  refusals.stop()
  expect(lines).toEqual([
    expect.objectContaining({
      cause: 'balance',
      count: 40,
      token: 'laptop',
      account: 'a@b.example',
    }),
  ])
})

test('a flood from more addresses than are told apart takes no more memory', () => {
  const { lines, refuse, endMinute } = scene()
  for (let at = 0; at < 12_000; at++) refuse(1, 'unknown', { from: `10.0.${at >> 8}.${at & 255}` })
  endMinute()
  expect(lines[0]).toMatchObject({ count: 11_990, addresses: 10_000 })
})
