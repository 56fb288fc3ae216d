import { expect, test } from 'bun:test'
import { until } from '../e2e/until.ts'
import { startOwnTime } from './own-time.ts'

test('runs on while this process runs, and stands while it does not', async () => {
  using time = startOwnTime()
  await until('100 ms', () => time.now() > 100)
  const before = time.now()
  Bun.sleepSync(300)
  await Bun.sleep(1)
  expect(time.now() - before).toBeLessThan(100)
})
