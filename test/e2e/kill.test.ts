import { expect, test } from 'bun:test'
import { runBinary } from '../support/binary.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { describeReport } from '../torture/report.ts'
import { torture } from '../torture/torture.ts'

// The process is killed at moments of chance while it answers. Whatever a client has received whole
// must be in the ledger, once, with the right amount; and the next start just works. `bun run
// torture` does the same for longer; what it looks at after each kill is in test/torture/.

const kills = 10

interface Entry {
  readonly kind: string
  readonly account: string
  readonly request_id: string | null
  readonly amount_nano: number
}

interface Exported {
  readonly request_id: string
  readonly ending: string
  readonly amount_nano: number
}

test('SIGKILL under load: what was received whole is charged once, and the next start serves', async () => {
  using folder = createTempDir('tollgate-kill')
  const seed = 1 + (Date.now() % 1_000_000)
  const report = await torture({ folder: folder.path, kills, seed })
  console.log(describeReport(report).join('\n'))
  expect(report.faults).toEqual([])
  expect(report.kills).toBe(kills)
  expect(report.received.length).toBeGreaterThan(kills * 20)
  expect(report.interrupted).toBeGreaterThan(0)

  const read = async (what: string) => {
    const { exitCode, stdout } = await runBinary([
      ...['export', what, '--config', folder.join('tollgate.yaml')],
    ])
    expect(exitCode).toBe(0)
    const lines = stdout.trim().split('\n')
    return lines.map((line) => JSON.parse(line) as unknown)
  }
  const entries = (await read('ledger')) as Entry[]
  const requests = (await read('requests')) as Exported[]
  const charges = entries.filter(({ kind }) => kind === 'charge')
  expect(charges).toHaveLength(report.charged)
  const costly = requests.filter(({ amount_nano }) => amount_nano > 0)
  expect(new Map(charges.map((one) => [one.request_id, -one.amount_nano]))).toEqual(
    new Map(costly.map((one) => [one.request_id, one.amount_nano])),
  )
  expect(entries.filter(({ kind }) => kind === 'opening')).toHaveLength(3)
  expect(requests.filter(({ ending }) => ending === 'interrupted')).toHaveLength(report.interrupted)
}, 120_000)
