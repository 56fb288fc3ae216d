import { expect, test } from 'bun:test'
import { runtimeSettings } from '../../src/cli/runtime-settings.ts'

const gibibyte = 2 ** 30
const all = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535', BUN_JSC_largeHeapSize: '2097152' }

test('a small container gets small heaps, a machine with memory the runtime’s own', () => {
  expect(runtimeSettings(gibibyte / 4, 2)).toMatchObject({
    ...all,
    BUN_JSC_forceRAMSize: '268435456',
  })
  expect(runtimeSettings(8 * gibibyte, 2)).toEqual(all)
})

test('one core collects at one go', () => {
  expect(runtimeSettings(8 * gibibyte, 1)).toEqual({ ...all, BUN_JSC_useConcurrentGC: '0' })
})
