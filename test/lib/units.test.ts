import { expect, test } from 'bun:test'
import {
  formatDurationMs,
  formatSizeBytes,
  parseDurationMs,
  parseSizeBytes,
} from '../../src/lib/format.ts'

test.each([
  ['250ms', 250],
  ['10s', 10_000],
  ['90s', 90_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['0ms', 0],
])('%s is %d milliseconds, and back', (text, durationMs) => {
  expect(parseDurationMs(text)).toBe(durationMs)
  expect(formatDurationMs(durationMs)).toBe(text)
})

test.each([
  ['100B', 100],
  ['512KiB', 524_288],
  ['10MB', 10_000_000],
  ['64MiB', 67_108_864],
  ['1GiB', 1_073_741_824],
  ['3KB', 3000],
  ['1025B', 1025],
  ['0B', 0],
])('%s is %d bytes, and back', (text, sizeBytes) => {
  expect(parseSizeBytes(text)).toBe(sizeBytes)
  expect(formatSizeBytes(sizeBytes)).toBe(text)
})

const noValues = ['', '10', 's', '-1s', '1.5h', '1 s', ' 1s', '1S', '1e3s', '１s', '10constructor']

test.each([...noValues, '5M', '1w', '999999999999999d'])('%p is no duration', (text) => {
  expect(parseDurationMs(text)).toBeUndefined()
})

test.each([...noValues, '1mb', '1m', '64MIB', '1TB', '999999999999999GiB'])(
  '%p is no size',
  (text) => {
    expect(parseSizeBytes(text)).toBeUndefined()
  },
)

test('one kilobyte may be written in both ways', () => {
  expect(parseSizeBytes('3kB')).toBe(3000)
})
