import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  BilledRow,
  BilledSums,
  BilledTotal,
  CountForm,
  Difference,
  Matching,
  OwnAttempt,
  OwnSums,
  OwnTotal,
} from '../../ports/matching.ts'
import { explained } from '../file.ts'
import * as sql from './tables.ts'

/** A row as named parameters: an interface has no index signature, a mapped type may have one. */
type Named<Row> = { [Name in keyof Row]: Row[Name] }

/** A matching in a file of its own in the folder for temporary files. */
export function createMatching(): Matching {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-reconcile-'))
  const path = join(folder, 'matching.db')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const db = explained(path, () => openScratch(path))
  // A file without a name is gone when the process ends, however it ends.
  if (process.platform !== 'win32') remove()
  const insertBilled = db.prepare<void, [Named<BilledRow>]>(sql.insertBilled)
  const insertOwn = db.prepare<void, [Named<OwnAttempt>]>(sql.insertOwn)

  return {
    addBilled: (rows) =>
      explained(path, () => {
        for (const row of rows) insertBilled.run(row)
      }),
    addOwn: (attempt) => explained(path, () => insertOwn.run(attempt).changes > 0),
    compare: () => explained(path, () => compare(db)),
    unknownToUs: (limit = -1) =>
      db
        .prepare<BilledTotal, [number]>(
          `SELECT ${sql.billedColumns} FROM ${sql.unknownToUs} ORDER BY time, id LIMIT ?`,
        )
        .iterate(limit),
    *notBilled(limit = -1) {
      const select = `SELECT ${sql.ownColumns} FROM ${sql.notBilled} ORDER BY started_at, id LIMIT ?`
      for (const row of db.prepare<StoredOwn, [number]>(select).iterate(limit)) yield toOwn(row)
    },
    *differing(form, limit = -1) {
      const select =
        `SELECT id FROM ${sql.bothSides} WHERE ${sql.differs(form)} ` +
        'ORDER BY started_at, id LIMIT ?'
      for (const { id } of db.prepare<{ id: string }, [number]>(select).iterate(limit))
        yield readDifference(db, id)
    },
    close() {
      db.close()
      remove()
    },
  }
}

function openScratch(path: string): Database {
  const db = new Database(path, { create: true, strict: true })
  // What is lost with the process needs no protection against that.
  db.run('PRAGMA journal_mode = OFF')
  db.run('PRAGMA synchronous = OFF')
  db.run('PRAGMA locking_mode = EXCLUSIVE')
  db.run('PRAGMA cache_size = -65536')
  db.run(sql.createTables)
  db.run('BEGIN')
  return db
}

type StoredOwn = Omit<OwnTotal, 'estimated'> & { readonly estimated: number }

const toOwn = (row: StoredOwn): OwnTotal => ({ ...row, estimated: row.estimated === 1 })

function readDifference(db: Database, id: string): Difference {
  const one = <Row>(columns: string, table: string) =>
    db.query<Row, [string]>(`SELECT ${columns} FROM ${table} WHERE id = ?`).get(id) as Row
  return {
    billed: one<BilledTotal>(sql.billedColumns, 'billed'),
    own: toOwn(one<StoredOwn>(sql.ownColumns, 'own')),
  }
}

function compare(db: Database) {
  const form = findForm(db)
  const count = (from: string) =>
    db.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${from}`).get()?.count ?? 0
  return {
    form,
    billed: sumBilled(db, 'billed'),
    repeatedIds: count('billed WHERE lines > 1'),
    matched: { billed: sumBilled(db, sql.bothSides), own: sumOwn(db, sql.bothSides) },
    unknownToUs: sumBilled(db, sql.unknownToUs),
    notBilled: sumOwn(db, sql.notBilled),
    differing: count(`${sql.bothSides} WHERE ${sql.differs(form)}`),
  }
}

function sumBilled(db: Database, from: string): BilledSums {
  type Row = Omit<BilledSums, 'costNano'> & { readonly costNano: string | null }
  const { costNano, ...sums } = db.query(`SELECT ${sql.billedSums} FROM ${from}`).get() as Row
  return { ...sums, costNano: costNano === null ? null : BigInt(costNano) }
}

function sumOwn(db: Database, from: string): OwnSums {
  type Row = Omit<OwnSums, 'amountNano'> & { readonly amountNano: string }
  const { amountNano, ...sums } = db.query(`SELECT ${sql.ownSums} FROM ${from}`).get() as Row
  return { ...sums, amountNano: BigInt(amountNano) }
}

/**
 * Vendors count in different ways, and a file does not tell in which: the way in which most rows
 * agree with ours is theirs.
 */
function findForm(db: Database): CountForm {
  const conditions = [
    ...sql.inputForms.map(sql.inputDiffers),
    ...sql.outputForms.map(sql.outputDiffers),
  ]
  const sums = conditions.map((condition) => `ifnull(sum(${condition}), 0)`)
  const [row = []] = db.query(`SELECT ${sums.join(', ')} FROM ${sql.bothSides}`).values()
  const least = (from: number, to: number) => {
    const counts = row.slice(from, to).map(Number)
    return counts.indexOf(Math.min(...counts))
  }
  const inputs = sql.inputForms.length
  return {
    input: sql.inputForms[least(0, inputs)] ?? 'all',
    output: sql.outputForms[least(inputs, conditions.length)] ?? 'all',
  }
}
