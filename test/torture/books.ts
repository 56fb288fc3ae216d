import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { RunningBinary } from '../support/binary.ts'
import { findFaults } from './audit.ts'
import {
  findUncharged,
  findUnfounded,
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
  afterKill(): ReadonlySet<string>
  /** After a start, before a request comes. `open`: what was open before it, where that is known. */
  afterStart(gateway: RunningBinary, open: ReadonlySet<string> | undefined): void
  /** All requests have ended, and the gateway runs on: waits until nothing is set aside. */
  whenCalm(): Promise<void>
  /** With all that was ever received. */
  atEnd(): void
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

  function look<Found>(find: (db: Database) => Found): Found {
    const db = new Database(join(folder, 'tollgate.db'), { readonly: true })
    try {
      db.run('PRAGMA busy_timeout = 5000')
      return find(db)
    } finally {
      db.close()
    }
  }

  const told = new Set<string>()
  /** What stays wrong is told once. */
  function fault(at: string, texts: readonly string[]): void {
    const news = texts.filter((text) => !told.has(text))
    for (const text of news) told.add(text)
    report.faults.push(...news.map((text) => `${at}, kill ${report.kills}: ${text}`))
  }

  /** What was received since the last time is charged, and what is charged was answered. */
  function checkCharges(db: Database, at: string): void {
    fault(at, findUncharged(db, report.received.slice(checked)))
    checked = report.received.length
    const { last, faults } = findUnfounded(db, upstream, traced)
    traced = last
    fault(at, faults)
  }

  /** Just what was open is recorded as interrupted, and the log says how many that was. */
  function checkSwept(gateway: RunningBinary, open: ReadonlySet<string>, added: readonly string[]) {
    const logged = logLines(gateway).reduce((sum, line) => sum + (line.interrupted ?? 0), 0)
    const isSame = added.length === open.size && added.every((id) => open.has(id))
    if (isSame && logged === open.size) return
    fault('Start', [`${open.size} were open, ${added.length} recorded, ${logged} told in the log`])
  }

  function checkCredits(db: Database): void {
    const credits = readCredits(db)
    report.credits = credits.size
    const lost = [...keys].filter((key) => !credits.has(key))
    const repeated = [...credits].filter(([, count]) => count !== 1)
    if (lost.length + repeated.length > 0) {
      fault('Credits', [`lost ${lost.join()}; repeated ${JSON.stringify(repeated)}`])
    }
  }

  return {
    afterKill: () =>
      look((db) => {
        fault('After the kill', findFaults(db, false))
        return readReserved(db)
      }),
    afterStart(gateway, open) {
      look((db) => {
        fault('Start', findFaults(db, true))
        const all = readInterrupted(db)
        const added = [...all].filter((id) => !interrupted.has(id))
        if (open !== undefined) checkSwept(gateway, open, added)
        interrupted = all
        report.interrupted = all.size
        checkCharges(db, 'Start')
        checkCredits(db)
      })
    },
    async whenCalm() {
      const end = performance.now() + calmMs
      const isCalm = () => look((db) => readReserved(db).size === 0)
      while (!isCalm() && performance.now() < end) await Bun.sleep(20)
      look((db) => fault('Calm', findFaults(db, true)))
    },
    atEnd() {
      look((db) => {
        fault('End', findFaults(db, true))
        fault('End', findUncharged(db, report.received))
        fault('End', findUnfounded(db, upstream, 0).faults)
        checkCredits(db)
        const { charged } = db
          .query<{ charged: number }, []>(
            "SELECT count(*) AS charged FROM ledger WHERE kind = 'charge'",
          )
          .get() ?? { charged: 0 }
        report.charged = charged
      })
    },
    credited: (key) => keys.add(key),
  }
}
