import { expect, test } from 'bun:test'
import { createTempDir } from '../support/temp-dir.ts'
import { describeSoak } from '../torture/soak/report.ts'
import { soak } from '../torture/soak/run.ts'

// A short soak: upstreams fail in every way, clients leave or stop reading, the configuration changes
// under it. `bun run soak` does the same for long enough to see a leak.

test('under faults, disconnects and changes nothing is left over and nothing is lost', async () => {
  let received = 0
  const [changes, wentWrong] = [new Set<string>(), new Set<string>()]
  // A slow machine does little in a round.
  const isEnough = () => received > 300 && changes.size > 3 && wentWrong.size > 10
  for (let round = 0; round < 5 && !isEnough(); round++) {
    using folder = createTempDir('tollgate-soak')
    const report = await soak({
      folder: folder.path,
      minutes: 0.5,
      clients: 12,
      seed: 1 + (Date.now() % 1_000_000),
      everyMs: 15_000,
      say: (line) => console.log(line),
    })
    console.log(describeSoak(report).join('\n'))
    expect(report.faults).toEqual([])
    received += report.harvest.received.length
    for (const what of report.changes.keys()) changes.add(what)
    for (const what of report.wentWrong.keys()) wentWrong.add(what)
  }
  expect(received).toBeGreaterThan(300)
  expect(changes.size).toBeGreaterThan(3)
  expect(wentWrong.size).toBeGreaterThan(10)
}, 600_000)
