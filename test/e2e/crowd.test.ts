import { expect, test } from 'bun:test'
import { describeCrowd, faultsOf } from '../torture/crowd/report.ts'
import { runCrowd } from '../torture/crowd/run.ts'

// A short form of `bun run crowd`, which takes root and control groups.

test('in a container of 256 MB 6 bodies of 60 MB, and 12 of 16 MB, are answered or refused in words', async () => {
  const crowd = await runCrowd({
    limitBytes: 256 * 1_048_576,
    streams: 100,
    bodies: [...Array<number>(6).fill(60e6), ...Array<number>(12).fill(16e6)],
    slowReaders: 0,
    ...{ aloneMs: 500, crowdMs: 1_000 },
    say: () => {},
  })
  if ('why' in crowd) {
    console.log(`skipped: ${crowd.why}`)
    return
  }
  console.log(describeCrowd(crowd).join('\n'))
  expect(faultsOf(crowd)).toEqual([])
  expect(crowd.bodies.get('413 body_too_large')).toBe(6)
  expect(crowd.bodies.get('200')).toBeGreaterThan(0)
})
