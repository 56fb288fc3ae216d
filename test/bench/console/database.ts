import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { bucketMs } from '../../../src/store/ports/availability.ts'
import type { MadeSize } from '../../support/made-ledger.ts'
import { fillLedger } from '../fill-ledger.ts'

const days = 90
const size = { accounts: 500, tokensPerAccount: 10, moreModels: 29, skew: 3 } as const

/** Accounts with very many requests, and with a few hundred. */
export const people = {
  many: 'account-1@example.com',
  few: `account-${size.accounts}@example.com`,
} as const

/**
 * Makes a folder's database, once: requests of 500 accounts with 5,000 tokens for 36 models in the
 * last 90 days, with what belongs to them.
 */
export async function prepareDatabase(folder: string, count: number): Promise<void> {
  const path = join(folder, 'tollgate.db')
  if (existsSync(path)) return
  mkdirSync(folder, { recursive: true })
  const spanMs = days * bucketMs.day
  const start = Date.now() - spanMs
  const made: MadeSize = { ...size, start, stepMs: spanMs / count }
  await fillLedger(path, count, made)
  using db = new Database(path, { strict: true })
  db.run('PRAGMA synchronous = OFF')
  fillAvailability(db)
  fillAudit(db, start)
  // Their keys are sealed by no secret; the configuration makes new ones of these names.
  db.run(`UPDATE channel SET deleted_at = ${start}`)
  db.run('DELETE FROM group_channel')
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
}

/** Successes, failures by fault, sums, and answers by the time to their first byte. */
const counts = JSON.stringify([90, 2, 1, 0, 1, 0, 18_000, 45_000, 9_000, 10, 30, 40, 10])

function fillAvailability(db: Database): void {
  const insert = db.prepare(
    `INSERT INTO availability SELECT ?, ?, "group".id, model, ? FROM "group",
      (SELECT DISTINCT model FROM model_price ORDER BY model LIMIT 12)`,
  )
  const kept = { minute: 2 * bucketMs.day, hour: 35 * bucketMs.day, day: days * bucketMs.day }
  const fill = db.transaction(() => {
    for (const name of ['minute', 'hour', 'day'] as const) {
      const ms = bucketMs[name]
      const end = Math.floor(Date.now() / ms) * ms
      for (let at = end - kept[name] + ms; at < end; at += ms) insert.run(name, at, counts)
    }
  })
  fill()
}

function fillAudit(db: Database, start: number): void {
  db.run(
    `WITH RECURSIVE number (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM number WHERE i < 50000)
     INSERT INTO audit (created_at, actor, action, subject, detail)
     SELECT ${start} + i * 150000, iif(i % 5000 = 7, 'rare@example.com', 'command line'),
       iif(i % 3, 'token.set', 'account.credit'), 'account-' || (i % 500) || '@example.com',
       '{"changed":["status"]}' FROM number`,
  )
}
