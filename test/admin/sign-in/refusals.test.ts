import { expect, test } from 'bun:test'
import { ApiError } from '../../../src/admin/api-error.ts'
import { createRefusalWatch } from '../../../src/admin/sign-in/limits.ts'
import { createLogger } from '../../../src/lib/log.ts'

function createScene() {
  const lines: { message: string; count?: number }[] = []
  let now = 0
  const clock = () => now
  const sink = (line: string) => lines.push(JSON.parse(line))
  const log = createLogger({ sink, pretty: false, level: 'warn', clock })
  let looked = 0
  const about = async () => ({ account_id: ++looked })
  const watch = createRefusalWatch(log, clock)
  return {
    lines,
    looked: () => looked,
    refuse: (error: unknown) =>
      expect(watch('sign-in refused', about, () => Promise.reject(error))).rejects.toBe(error),
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a guess that was tried is logged with whose it was', async () => {
  const { refuse, lines } = createScene()
  await refuse(new ApiError('wrong_credentials', 'No.'))
  await refuse(new Error('a fault'))
  expect(lines).toMatchObject([
    { message: 'sign-in refused', account_id: 1, reason: 'wrong_credentials' },
    { message: 'sign-in refused', account_id: 2, reason: 'internal' },
  ])
})

test('what came too often is neither looked up nor logged one by one, but counted', async () => {
  const { refuse, pass, lines, looked } = createScene()
  const often = () => refuse(new ApiError('too_many_requests', 'Later.'))
  for (let at = 0; at < 1000; at++) await often()
  await refuse(new ApiError('unavailable', 'Full.'))
  expect(lines).toMatchObject([{ message: 'sign-ins refused that came too often', count: 1 }])
  pass(60_000)
  await often()
  expect(lines.map(({ count }) => count)).toEqual([1, 1001])
  expect(looked()).toBe(0)
})
