import { expect, test } from 'bun:test'
import { countProcessors } from '../../src/lib/process-state.ts'

const countAmong = (files: Readonly<Record<string, string>>) =>
  countProcessors((path) => {
    const text = files[path]
    if (text === undefined) throw new Error('ENOENT')
    return text
  }, 8)

const group = '/sys/fs/cgroup'

test.each([
  ['nothing is known', {}, 8],
  [
    'no group has a limit',
    { '/proc/self/cgroup': '0::/a\n', [`${group}/a/cpu.max`]: 'max 100000\n' },
    8,
  ],
  [
    'v1 has none',
    {
      '/proc/self/cgroup': '4:cpu,cpuacct:/\n0::/\n',
      [`${group}/cpu/cpu.cfs_quota_us`]: '-1\n',
      [`${group}/cpu/cpu.cfs_period_us`]: '100000\n',
    },
    8,
  ],
  [
    'v2 has one',
    { '/proc/self/cgroup': '0::/a\n', [`${group}/a/cpu.max`]: '250000 100000\n' },
    2.5,
  ],
  [
    'a parent has one',
    {
      '/proc/self/cgroup': '0::/a/b\n',
      [`${group}/a/cpu.max`]: '200000 100000\n',
      [`${group}/a/b/cpu.max`]: 'max 100000\n',
    },
    2,
  ],
  [
    'v1 has one',
    {
      '/proc/self/cgroup': '4:cpu,cpuacct:/b\n',
      [`${group}/cpu/b/cpu.cfs_quota_us`]: '50000\n',
      [`${group}/cpu/b/cpu.cfs_period_us`]: '100000\n',
    },
    0.5,
  ],
])('processors of a container where %s', (_, files, expected) => {
  expect(countAmong(files)).toBe(expected)
})
