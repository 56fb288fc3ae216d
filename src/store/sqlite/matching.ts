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
} from '../ports/matching.ts'
import type { Named } from './commit.ts'
import { explained } from './file.ts'

/** A matching in a file of its own in the folder for temporary files. */
export function createMatching(): Matching {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-reconcile-'))
  const path = join(folder, 'matching.db')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const db = explained(path, () => openScratch(path))
  // A file without a name is gone when the process ends, however it ends.
  if (process.platform !== 'win32') remove()
  const insertBilled = db.prepare<void, [Named<BilledRow>]>(billedText)
  const insertOwn = db.prepare<void, [Named<OwnAttempt>]>(ownText)

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
          `SELECT ${billedColumns} FROM ${unknownToUs} ORDER BY time, id LIMIT ?`,
        )
        .iterate(limit),
    *notBilled(limit = -1) {
      const select = `SELECT ${ownColumns} FROM ${notBilled} ORDER BY started_at, id LIMIT ?`
      for (const row of db.prepare<StoredOwn, [number]>(select).iterate(limit)) yield toOwn(row)
    },
    *differing(form, limit = -1) {
      const select = `SELECT id FROM ${bothSides} WHERE ${differs(form)} ORDER BY started_at, id LIMIT ?`
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
  db.run(createTables)
  db.run('BEGIN')
  return db
}

type StoredOwn = Omit<OwnTotal, 'estimated'> & { readonly estimated: number }

const toOwn = (row: StoredOwn): OwnTotal => ({ ...row, estimated: row.estimated === 1 })

function readDifference(db: Database, id: string): Difference {
  const one = <Row>(columns: string, table: string) =>
    db.query<Row, [string]>(`SELECT ${columns} FROM ${table} WHERE id = ?`).get(id) as Row
  return {
    billed: one<BilledTotal>(billedColumns, 'billed'),
    own: toOwn(one<StoredOwn>(ownColumns, 'own')),
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
    matched: { billed: sumBilled(db, bothSides), own: sumOwn(db, bothSides) },
    unknownToUs: sumBilled(db, unknownToUs),
    notBilled: sumOwn(db, notBilled),
    differing: count(`${bothSides} WHERE ${differs(form)}`),
  }
}

function sumBilled(db: Database, from: string): BilledSums {
  type Row = Omit<BilledSums, 'costNano'> & { readonly costNano: string | null }
  const { costNano, ...sums } = db.query(`SELECT ${billedSums} FROM ${from}`).get() as Row
  return { ...sums, costNano: costNano === null ? null : BigInt(costNano) }
}

function sumOwn(db: Database, from: string): OwnSums {
  type Row = Omit<OwnSums, 'amountNano'> & { readonly amountNano: string }
  const { amountNano, ...sums } = db.query(`SELECT ${ownSums} FROM ${from}`).get() as Row
  return { ...sums, amountNano: BigInt(amountNano) }
}

/** Vendors count in different ways: the way in which most rows agree with ours is theirs. */
function findForm(db: Database): CountForm {
  const conditions = [...inputForms.map(inputDiffers), ...outputForms.map(outputDiffers)]
  const sums = conditions.map((condition) => `ifnull(sum(${condition}), 0)`)
  const [row = []] = db.query(`SELECT ${sums.join(', ')} FROM ${bothSides}`).values()
  const least = (from: number, to: number) => {
    const counts = row.slice(from, to).map(Number)
    return counts.indexOf(Math.min(...counts))
  }
  const inputs = inputForms.length
  return {
    input: inputForms[least(0, inputs)] ?? 'all',
    output: outputForms[least(inputs, conditions.length)] ?? 'all',
  }
}

/** Both sides, by the upstream's id. */
const createTables = `
CREATE TABLE billed (
  id TEXT PRIMARY KEY,
  lines INTEGER NOT NULL,
  time INTEGER,
  input INTEGER,
  output INTEGER,
  cached INTEGER,
  cost_nano INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE own (
  id TEXT PRIMARY KEY,
  attempts INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  model TEXT,
  started_at INTEGER NOT NULL,
  status INTEGER,
  cause TEXT,
  estimated INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  amount_nano INTEGER NOT NULL
) STRICT, WITHOUT ROWID;`

/** Null means unknown: null and a number make the number. */
const added = (column: string) =>
  `${column} = iif(${column} IS NULL, excluded.${column}, ${column} + ifnull(excluded.${column}, 0))`

const addedAll = (columns: readonly string[]) => columns.map(added).join(', ')

const billedText = `
INSERT INTO billed VALUES ($id, 1, $time, $inputTokens, $outputTokens, $cachedTokens, $costNano)
ON CONFLICT (id) DO UPDATE SET lines = lines + 1,
  ${addedAll(['input', 'output', 'cached', 'cost_nano'])}`

/** An attempt that is neither billed nor expected to be billed is left out. */
const ownText = `
INSERT INTO own SELECT $upstreamId, 1, $requestId, $channel, $model, $startedAt, $status, $cause,
  $estimated, $inputTokens, $cacheReadTokens, $cacheWriteTokens, $outputTokens, $reasoningTokens,
  $amountNano
WHERE $isExpected OR EXISTS (SELECT 1 FROM billed WHERE id = $upstreamId)
ON CONFLICT (id) DO UPDATE SET attempts = attempts + 1, estimated = max(estimated, excluded.estimated),
  ${addedAll(['input', 'cache_read', 'cache_write', 'output', 'reasoning', 'amount_nano'])}`

const inputs: { readonly [Form in CountForm['input']]: string } = {
  all: 'own.input + own.cache_read + own.cache_write',
  without_cache_reads: 'own.input + own.cache_write',
  uncached: 'own.input',
}
const outputs: { readonly [Form in CountForm['output']]: string } = {
  all: 'own.output',
  without_reasoning: 'own.output - own.reasoning',
}

/** Forms in the order in which they are preferred when they fit equally well. */
const inputForms = ['all', 'without_cache_reads', 'uncached'] as const
const outputForms = ['all', 'without_reasoning'] as const

const inputDiffers = (form: CountForm['input']) => `billed.input <> ${inputs[form]}`
const outputDiffers = (form: CountForm['output']) => `billed.output <> ${outputs[form]}`

/** A condition; values that the file lacks count as equal. */
const differs = ({ input, output }: CountForm) =>
  `(ifnull(${inputDiffers(input)}, 0) OR ifnull(${outputDiffers(output)}, 0)
    OR ifnull(billed.cached <> own.cache_read, 0))`

const bothSides = 'billed JOIN own USING (id)'
const unknownToUs = 'billed WHERE NOT EXISTS (SELECT 1 FROM own WHERE own.id = billed.id)'
const notBilled = 'own WHERE NOT EXISTS (SELECT 1 FROM billed WHERE billed.id = own.id)'

const billedColumns = `billed.id AS id, lines, time, billed.input AS inputTokens,
  billed.output AS outputTokens, cached AS cachedTokens, cost_nano AS costNano`

const ownColumns = `own.id AS upstreamId, attempts, request_id AS requestId, channel, model,
  started_at AS startedAt, status, cause, estimated, own.input AS inputTokens,
  cache_read AS cacheReadTokens, cache_write AS cacheWriteTokens, own.output AS outputTokens,
  reasoning AS reasoningTokens, amount_nano AS amountNano`

/** Sums of money come as text: they may exceed what a number holds. */
const billedSums = `count(*) AS ids, ifnull(sum(lines), 0) AS lines,
  sum(billed.input) AS inputTokens, sum(billed.output) AS outputTokens,
  sum(cached) AS cachedTokens, CAST(sum(cost_nano) AS TEXT) AS costNano`

const ownSums = `count(*) AS ids, ifnull(sum(attempts), 0) AS attempts,
  ifnull(sum(own.input), 0) AS inputTokens, ifnull(sum(cache_read), 0) AS cacheReadTokens,
  ifnull(sum(cache_write), 0) AS cacheWriteTokens, ifnull(sum(own.output), 0) AS outputTokens,
  ifnull(sum(reasoning), 0) AS reasoningTokens,
  CAST(ifnull(sum(amount_nano), 0) AS TEXT) AS amountNano`
