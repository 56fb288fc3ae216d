import { expect, test } from 'bun:test'
import { countWorkers } from '../../../src/app/group/worker-count.ts'

const on = (platform: string, processors: number) => ({ platform, processors })

test.each([
  [0.5, 1],
  [1, 1],
  [2, 1],
  [2.5, 1],
  [3, 2],
  [16, 15],
  [192, 64],
])('auto on %d processors of Linux: %d', (processors, workers) => {
  expect(countWorkers('auto', on('linux', processors))).toEqual({ workers })
})

test('a number is taken as it is on Linux; elsewhere one process serves, and says why', () => {
  expect(countWorkers(4, on('linux', 2))).toEqual({ workers: 4 })
  expect(countWorkers(1, on('darwin', 8))).toEqual({ workers: 1 })
  expect(countWorkers('auto', on('darwin', 8))).toEqual({ workers: 1 })
  const { workers, warning } = countWorkers(4, on('win32', 8))
  expect(workers).toBe(1)
  expect(warning).toContain('server.workers is 4')
})
