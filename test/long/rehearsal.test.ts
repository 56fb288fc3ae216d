import { expect, test } from 'bun:test'
import { rehearseSqlite } from '../rehearse/rehearse.ts'
import { describeReport } from '../rehearse/report.ts'
import { rounds } from '../support/rounds.ts'
import { createTempDir } from '../support/temp-dir.ts'

// Faults drawn by chance, others each time. `bun run rehearse --seed S --fault N` has one
// of them again; the seed is printed with what went wrong.

const minutes = rounds(0.5, 10)

/** The kills of `test/e2e/group` are what each run has of workers. */
const gateways = [
  ['one process', 1],
  ...(process.env.TOLLGATE_TEST_LONG === 'true' ? [['three workers', 3] as const] : []),
] as const

test.each(gateways)(
  'after every fault a node of %s is ready again, and its books are right',
  async (_, workers) => {
    using folder = createTempDir('tollgate-rehearse')
    const said: string[] = []
    const report = await rehearseSqlite({
      ...{ folder: folder.path, seed: 1 + (Date.now() % 1_000_000), from: 1 },
      ...{ minutes, clients: 12, longestS: 8, workers },
      say: (line) => said.push(line),
    })
    console.log([...said, ...describeReport(report)].join('\n'))
    expect(report.findings).toEqual([])
    expect(report.faults).toBeGreaterThan(2.5 * minutes)
    expect(report.answers).toBeGreaterThan(100 * minutes)
  },
  1_200_000,
)
