import { expect, test } from 'bun:test'
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { lives } from '../../support/processes.ts'
import { rounds } from '../../support/rounds.ts'
import { ask } from '../caller.ts'
import { dialects } from '../dialects.ts'
import { openLedger } from '../ledger.ts'
import { until } from '../until.ts'
import { sharesPorts, startGroup, workersOf } from './scene.ts'

const tokens = { input: 10, output: 5 }
const { chat } = dialects
const restarts = Number(process.env.TOLLGATE_TEST_RESTARTS) || rounds(10, 30)
const clients = 8

/** Lines of the log with a text. */
const count = (lines: readonly string[], text: string) =>
  lines.filter((line) => line.includes(text)).length

test.skipIf(!sharesPorts)(
  `workers restarted ${restarts} times under load lose no connection`,
  async () => {
    await using upstream = startFakeUpstream(() => jsonAnswer(chat.body(tokens)))
    await using gateway = await startGroup({ upstream, balance: 100_000 })
    const failures: string[] = []
    let answered = 0
    let isOver = false

    // Each on a connection of its own: a kept one may be closed at any time, and its client knows.
    const load = async () => {
      while (!isOver) {
        try {
          const answer = await ask(gateway.url, chat, false)
          const text = await answer.text()
          if (answer.status === 200) answered++
          else failures.push(`${answer.status}: ${text}`)
        } catch (error) {
          failures.push(String(error))
        }
      }
    }

    const loads = Array.from({ length: clients }, load)
    for (let i = 0; i < restarts; i++) {
      // The one that serves longest.
      const [oldest = 0] = workersOf(gateway)
      process.kill(oldest, 'SIGTERM')
      await until('another one serves', () => count(gateway.stdout, 'in the place of') > i)
      await until('it has ended', () => !lives(oldest))
    }
    isOver = true
    await Promise.all(loads)
    expect(failures).toEqual([])
    expect(answered).toBeGreaterThan(restarts)
    expect(await gateway.kill()).toBe(0)
    await using ledger = openLedger(gateway.cwd)
    expect(await ledger.charges()).toHaveLength(answered)
    expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
  },
  Math.max(600_000, restarts * 5_000),
)
