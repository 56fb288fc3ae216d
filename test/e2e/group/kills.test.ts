import { expect } from 'bun:test'
import { rehearseSqlite } from '../../rehearse/rehearse.ts'
import { describeReport } from '../../rehearse/report.ts'
import { startBinary } from '../../support/binary.ts'
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { ofSqlite } from '../../support/of-sqlite.ts'
import { readGroup, signal } from '../../support/processes.ts'
import { rounds } from '../../support/rounds.ts'
import { openTables } from '../../support/tables.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { ask } from '../caller.ts'
import { dialects } from '../dialects.ts'
import { until } from '../until.ts'

// Processes of a gateway with workers are killed while it answers. TOLLGATE_TEST_KILLS: how many by chance.

const kills = Number(process.env.TOLLGATE_TEST_KILLS) || rounds(5, 60)
const workers = 3
const faults = [
  ...['kill', 'kill a worker', 'kill the keeper', 'kill keeper and workers'],
  ...['kill the starter', 'kill what starts again'],
]
/** More than a kill, and looking at the books after it, may take. */
const killMs = 60_000

ofSqlite(
  'workers, keeper, starter, or all killed: nothing is lost, nothing charged twice',
  async () => {
    using folder = createTempDir('tollgate-kills')
    const said: string[] = []
    const report = await rehearseSqlite({
      ...{ folder: folder.path, seed: 1 + (Date.now() % 1_000_000), from: 1, most: kills },
      ...{ minutes: kills, clients: 12, longestS: 8, workers, only: faults },
      say: (line) => said.push(line),
    })
    console.log([...said, ...describeReport(report)].join('\n'))
    expect(report.findings).toEqual([])
    expect(report.faults).toBe(kills)
    expect(report.answers).toBeGreaterThan(kills * 10)
  },
  kills * killMs,
)

const { chat } = dialects
const priceUsd = 0.01
const affordable = 600
/** So many answers arrive before the next process is killed. */
const betweenKills = 40

ofSqlite(
  'what can be paid once is spent once, though workers and keepers are killed meanwhile',
  async () => {
    await using upstream = startFakeUpstream(async () => {
      await Bun.sleep(20)
      return jsonAnswer(chat.body({ input: 9, output: 9 }))
    })
    await using gateway = await startBinary({
      args: ['serve', '--log', 'json'],
      config: (listen) =>
        tollgateYaml({
          ...{ listen, upstream: upstream.url, server: { workers } },
          ...{ balance: affordable * priceUsd, prices: { 'test-model': { per_call: priceUsd } } },
        }),
    })
    await using tables = openTables(gateway.cwd)
    const received: string[] = []
    let isUsedUp = false
    const client = async () => {
      while (!isUsedUp) {
        const answer = await ask(gateway.url, chat, false).catch(() => undefined)
        const text = await answer?.text().catch(() => undefined)
        if (answer?.status === 200 && text) received.push(`${answer.headers.get('x-request-id')}`)
        else await Bun.sleep(5)
        isUsedUp ||= answer?.headers.get('x-tollgate-reason') === 'balance'
      }
    }
    const clients = Array.from({ length: 16 }, client)
    let killed = 0
    for (let due = betweenKills; !isUsedUp; due = received.length + betweenKills) {
      await until('the next kill to be due', () => isUsedUp || received.length >= due)
      const { keeper, workers: all } = readGroup(gateway.pid)
      const victim = killed % 3 === 2 ? keeper : all[killed % all.length]
      if (victim === undefined) continue
      signal(victim, 'SIGKILL')
      killed++
    }
    await Promise.all(clients)

    const sums = `SELECT balance_nano AS balance, reserved_nano AS reserved,
      (SELECT count(*) FROM ledger WHERE kind = 'charge') AS charges,
      (SELECT count(DISTINCT request_id) FROM ledger WHERE kind = 'charge') AS requests FROM account`
    const isFree = async () => (await tables.rows<{ reserved: number }>(sums))[0]?.reserved === 0
    await until('all that was reserved to be free', isFree)
    const [money] = await tables.rows<{ balance: number; charges: number; requests: number }>(sums)
    console.log(`${killed} killed, ${received.length} of ${affordable} answers received`, money)
    expect(killed).toBeGreaterThan(3)
    // Who was killed between the answer and its client has charged it.
    expect(money).toMatchObject({ balance: 0, charges: affordable, requests: affordable })
    const charged = await tables.rows<{ id: string }>(
      "SELECT request_id AS id FROM ledger WHERE kind = 'charge'",
    )
    const ids = new Set(charged.map(({ id }) => id))
    expect(received.filter((id) => !ids.has(id))).toEqual([])
    expect(new Set(received).size).toBe(received.length)
  },
  120_000,
)
