import { expect, spyOn, test } from 'bun:test'
import {
  findMemoryLimit,
  heldMemoryBytes,
  residentMemoryBytes,
} from '../../src/lib/process-state.ts'

const machineBytes = 8_000_000_000

const limitAmong = (files: Readonly<Record<string, string>>) =>
  findMemoryLimit((path) => {
    const text = files[path]
    if (text === undefined) throw new Error('ENOENT')
    return text
  }, machineBytes)

const v1 = '/sys/fs/cgroup/memory'
const v2 = '/sys/fs/cgroup'

test.each([
  ['nothing is known', {}],
  ['no group has a limit', { '/proc/self/cgroup': '0::/a\n', [`${v2}/a/memory.max`]: 'max\n' }],
  [
    'the limit of v1 is none',
    {
      '/proc/self/cgroup': '4:memory:/\n0::/\n',
      [`${v1}/memory.limit_in_bytes`]: '9223372036854771712\n',
    },
  ],
])('it is what the machine has where %s', (_, files) => {
  expect(limitAmong(files)).toEqual({ bytes: machineBytes, source: 'machine' })
})

test.each([
  ['v2', { '/proc/self/cgroup': '0::/a/b\n', [`${v2}/a/b/memory.max`]: '268435456\n' }],
  [
    'a parent in v2',
    {
      '/proc/self/cgroup': '0::/a/b\n',
      [`${v2}/a/memory.max`]: '268435456\n',
      [`${v2}/a/b/memory.max`]: 'max\n',
    },
  ],
  [
    'v1, beside others',
    {
      '/proc/self/cgroup': '9:name=systemd:/\n4:cpu,memory:/a\n0::/\n',
      [`${v1}/a/memory.limit_in_bytes`]: '268435456\n',
    },
  ],
  [
    'v1, whose path is the host’s',
    {
      '/proc/self/cgroup': '4:memory:/docker/abc\n',
      [`${v1}/memory.limit_in_bytes`]: '268435456\n',
    },
  ],
])('the limit of a group is found: %s', (_, files) => {
  expect(limitAmong(files)).toEqual({ bytes: 268_435_456, source: 'container' })
})

test('of several limits the smallest holds', () => {
  const files = {
    '/proc/self/cgroup': '0::/a/b\n',
    [`${v2}/a/memory.max`]: '1000000000\n',
    [`${v2}/a/b/memory.max`]: '2000000000\n',
  }
  expect(limitAmong(files).bytes).toBe(1_000_000_000)
})

test('what this process holds is less than what is resident, and more than nothing', () => {
  expect(heldMemoryBytes()).toBeGreaterThan(1_000_000)
  expect(heldMemoryBytes()).toBeLessThanOrEqual(process.memoryUsage.rss())
})

test('memory is what it was where it can not be read: no descriptors are left', () => {
  const known = residentMemoryBytes()
  using rss = spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
    throw new Error('Failed to get memory usage')
  })
  expect(residentMemoryBytes()).toBe(known)
  expect(rss).toHaveBeenCalled()
})
