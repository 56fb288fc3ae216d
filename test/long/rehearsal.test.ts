import { expect, test } from 'bun:test'
import { rehearseSqlite } from '../rehearse/rehearse.ts'
import { describeReport } from '../rehearse/report.ts'
import { createTempDir } from '../support/temp-dir.ts'

// Faults drawn by chance, for two minutes, others each time. `bun run rehearse --seed S --fault N` has one
// of them again; the seed is printed with what went wrong.

test('after every fault a node is ready again, and its books are right', async () => {
  using folder = createTempDir('tollgate-rehearse')
  const said: string[] = []
  const report = await rehearseSqlite({
    ...{ folder: folder.path, seed: 1 + (Date.now() % 1_000_000), from: 1 },
    ...{ minutes: 2, clients: 12, longestS: 8 },
    say: (line) => said.push(line),
  })
  console.log([...said, ...describeReport(report)].join('\n'))
  expect(report.findings).toEqual([])
  expect(report.faults).toBeGreaterThan(5)
  expect(report.answers).toBeGreaterThan(200)
}, 400_000)
