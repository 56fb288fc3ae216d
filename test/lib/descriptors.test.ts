import { expect, test } from 'bun:test'
import { descriptorLimit, hasSpareDescriptors } from '../../src/lib/process-state.ts'

test.skipIf(process.platform !== 'linux')(
  'the limit is known, and more than it are not spare',
  () => {
    const limit = descriptorLimit() ?? 0
    expect(limit).toBeGreaterThan(0)
    expect(hasSpareDescriptors(1)).toBeTrue()
    // What was opened to find out is closed again.
    for (let time = 0; time < 100; time++) expect(hasSpareDescriptors(16)).toBeTrue()
    if (limit < 100_000) expect(hasSpareDescriptors(limit)).toBeFalse()
  },
)
