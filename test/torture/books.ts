import type { RunningBinary } from '../support/binary.ts'
import { openTables } from '../support/tables.ts'
import { testEngine } from '../support/test-store.ts'
import { findFaults as findFaultsIn } from './audit.ts'
import {
  findUncharged,
  findUnfounded,
  type Rows,
  readCredits,
  readInterrupted,
  readReserved,
} from './facts.ts'
import { logLines } from './gateway.ts'
import type { TortureReport } from './report.ts'
import type { TortureUpstream } from './upstream.ts'

/** Looks into the books of a gateway, and writes what is wrong into the report. */
export interface Books {
  /** After a kill, with nobody at work: gives the requests that are open. */
  afterKill(): Promise<ReadonlySet<string>>
  /**
   * After a start, before a request comes. `open`: what was open before it, where that is known;
   * `closed`: how many requests others have closed since.
   */
  afterStart(
    gateway: RunningBinary,
    open: ReadonlySet<string> | undefined,
    closed: number,
  ): Promise<void>
  /** All requests have ended, and the gateway runs on: waits until nothing is set aside. */
  whenCalm(): Promise<void>
  /** With all that was ever received. */
  atEnd(): Promise<void>
  /** A command has said that it stored this credit. */
  credited(key: string): void
}

/** How long the gateway may take to settle what its clients are done with. */
const calmMs = 5_000

export function createBooks(
  folder: string,
  upstream: TortureUpstream,
  report: TortureReport,
): Books {
  const keys = new Set<string>()
  let interrupted: ReadonlySet<string> = new Set()
  let checked = 0
  let traced = 0

  async function look<Found>(find: (rows: Rows) => Promise<Found>): Promise<Found> {
    await using tables = openTables(folder)
    return await find(tables.rows)
  }

  const findFaults = (rows: Rows, isAtRest: boolean) => findFaultsIn(rows, testEngine, isAtRest)

  const told = new Set<string>()
  /** What stays wrong is told once. */
  function fault(at: string, texts: readonly string[]): void {
    const news = texts.filter((text) => !told.has(text))
    for (const text of news) told.add(text)
    report.faults.push(...news.map((text) => `${at}, kill ${report.kills}: ${text}`))
  }

  /** What was received since the last time is charged, and what is charged was answered. */
  async function checkCharges(rows: Rows, at: string): Promise<void> {
    fault(at, await findUncharged(rows, report.received.slice(checked)))
    checked = report.received.length
    const { last, faults } = await findUnfounded(rows, upstream, traced)
    traced = last
    fault(at, faults)
  }

  /** Just what was open is recorded as interrupted, and whoever closed it said how many that was. */
  function checkSwept(open: ReadonlySet<string>, added: readonly string[], told: number) {
    const isSame = added.length === open.size && added.every((id) => open.has(id))
    if (isSame && told === open.size) return
    fault('Start', [`${open.size} were open, ${added.length} recorded, ${told} told`])
  }

  async function checkCredits(rows: Rows): Promise<void> {
    const credits = await readCredits(rows)
    report.credits = credits.size
    const lost = [...keys].filter((key) => !credits.has(key))
    const repeated = [...credits].filter(([, count]) => count !== 1)
    if (lost.length + repeated.length > 0) {
      fault('Credits', [`lost ${lost.join()}; repeated ${JSON.stringify(repeated)}`])
    }
  }

  return {
    afterKill: () =>
      look(async (rows) => {
        fault('After the kill', await findFaults(rows, false))
        return readReserved(rows)
      }),
    afterStart: (gateway, open, closed) =>
      look(async (rows) => {
        fault('Start', await findFaults(rows, true))
        const all = await readInterrupted(rows)
        const added = [...all].filter((id) => !interrupted.has(id))
        const logged = logLines(gateway).reduce((sum, line) => sum + (line.interrupted ?? 0), 0)
        if (open !== undefined) checkSwept(open, added, closed + logged)
        interrupted = all
        report.interrupted = all.size
        await checkCharges(rows, 'Start')
        await checkCredits(rows)
      }),
    async whenCalm() {
      const end = performance.now() + calmMs
      const isCalm = () => look(async (rows) => (await readReserved(rows)).size === 0)
      while (!(await isCalm()) && performance.now() < end) await Bun.sleep(20)
      await look(async (rows) => fault('Calm', await findFaults(rows, true)))
    },
    atEnd: () =>
      look(async (rows) => {
        fault('End', await findFaults(rows, true))
        fault('End', await findUncharged(rows, report.received))
        fault('End', (await findUnfounded(rows, upstream, 0)).faults)
        await checkCredits(rows)
        const [counted] = await rows<{ charged: number }>(
          "SELECT count(*) AS charged FROM ledger WHERE kind = 'charge'",
        )
        report.charged = counted?.charged ?? 0
      }),
    credited: (key) => keys.add(key),
  }
}
