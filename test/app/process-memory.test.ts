import { expect, test } from 'bun:test'
import { createProcessMemory } from '../../src/app/process-limits.ts'

const mebibyte = 1_048_576

test.each([64, 256, 1_024, 65_536])(
  'of %p MiB, what is kept between requests takes a small part',
  (size) => {
    const { budget, sockets, fileCacheBytes } = createProcessMemory({
      memoryBytes: size * mebibyte,
    })
    const { ofOne, ofAccount, ofAll } = sockets.conversations
    expect(ofAll + fileCacheBytes).toBeLessThanOrEqual(budget.totalBytes * (3 / 16))
    expect(ofOne).toBeLessThanOrEqual(ofAccount)
    expect(2 * ofAccount).toBeLessThanOrEqual(ofAll)
  },
)

test('with much memory no more is kept than is of use', () => {
  const { sockets, fileCacheBytes } = createProcessMemory({ memoryBytes: 65_536 * mebibyte })
  expect([sockets.conversations, fileCacheBytes]).toEqual([
    { ofOne: 8 * mebibyte, ofAccount: 64 * mebibyte, ofAll: 256 * mebibyte },
    64 * mebibyte,
  ])
})
