import { expect, test } from 'bun:test'
import { createTempDir } from '../support/temp-dir.ts'
import { describeSoak } from '../torture/soak/report.ts'
import { soak } from '../torture/soak/run.ts'

// Runs alone: it watches memory and how late the event loop is.

// A short soak: upstreams fail in every way, clients leave or stop reading, the configuration changes
// under it. `bun run soak` does the same for long enough to see a leak.

test('under faults, disconnects and changes nothing is left over and nothing is lost', async () => {
  using folder = createTempDir('tollgate-soak')
  const report = await soak({
    folder: folder.path,
    minutes: 0.6,
    clients: 24,
    seed: 1 + (Date.now() % 1_000_000),
    everyMs: 15_000,
    say: (line) => console.log(line),
  })
  console.log(describeSoak(report).join('\n'))
  expect(report.faults).toEqual([])
  expect(report.harvest.received.length).toBeGreaterThan(300)
  expect(report.changes.size).toBeGreaterThan(3)
  expect(report.wentWrong.size).toBeGreaterThan(10)
}, 240_000)
