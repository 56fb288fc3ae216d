import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, copyFileSync, openSync, readFileSync, writeSync } from 'node:fs'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import { StoreError } from '../../../src/store/ports/store-error.ts'
import { temporaryDirectory } from '../../store/support.ts'
import { createRandom } from '../../support/random.ts'
import { makeDatabase, tamper, verifyFile } from './scene.ts'

// Bytes that change on a disk. SQLite keeps no sums of its pages: what they break must be told by what
// the records say of one another.

const folder = temporaryDirectory()
const clean = folder.file('clean.db')
const changed = folder.file('changed.db')
const tables = ['account', 'channel', 'group', 'token', 'model_price', 'request', 'attempt']
tables.push('reservation', 'ledger', 'usage_day', 'usage_total', 'audit')

beforeAll(async () => {
  await makeDatabase(clean, 600)
  using db = new Database(clean)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
})
afterAll(() => folder[Symbol.dispose]())

/** All that is told of a changed database; one that can't be opened says so. */
async function told(isDeep: boolean): Promise<readonly string[]> {
  try {
    const { found } = await verifyFile(changed, undefined, isDeep)
    return found.map(describeDifference)
  } catch (error) {
    if (error instanceof StoreError) return [error.message]
    throw error
  }
}

function rewrite(change: (bytes: Buffer) => void): void {
  copyFileSync(clean, changed)
  const bytes = readFileSync(changed)
  change(bytes)
  const file = openSync(changed, 'r+')
  writeSync(file, bytes)
  closeSync(file)
}

const page = 2048

/** Where a page has something: all between its cell pointers and its cells is nothing. */
function contentOf(bytes: Buffer, at: number): readonly [from: number, to: number] {
  const header = at === 0 ? 100 : 0
  return [at + bytes.readUInt16BE(at + header + 5), at + page]
}

describe.each(tables)('100 bytes flipped in a page of %s', (table) => {
  test.each([1, 5, 7])('are told by --deep; seed %d', async (seed) => {
    const random = createRandom(seed)
    using db = new Database(clean, { readonly: true })
    const leaves = db
      .query<{ at: number }, [string]>(
        "SELECT pgoffset AS at FROM dbstat WHERE name = ? AND pagetype = 'leaf'",
      )
      .all(table)
    const { at } = leaves[Math.floor(random() * leaves.length)] ?? { at: 0 }
    rewrite((bytes) => {
      const [from, to] = contentOf(bytes, at)
      const start = from + Math.floor(random() * Math.max(1, to - from - 100))
      for (let flips = 0; flips < Math.min(100, to - from); flips++) {
        const place = start + flips
        bytes[place] = (bytes[place] ?? 0) ^ (1 + Math.floor(random() * 255))
      }
    })
    expect(await told(true)).not.toEqual([])
  })
})

/** What is charged, held, summed up or counted, and of which rows: those in which each unit counts. */
const money: readonly (readonly [table: string, columns: readonly string[], rows: string])[] = [
  ['account', ['balance_nano', 'reserved_nano'], 'reserved_nano > 0'],
  ['request', ['amount_nano', 'multiplier_millionths', 'price_id'], 'amount_nano > 100000000'],
  ['request', ['input_tokens', 'output_tokens', 'cache_read_tokens'], 'cache_read_tokens > 0'],
  ['ledger', ['amount_nano', 'balance_after_nano', 'account_id'], "kind = 'charge'"],
  ['ledger', ['amount_nano', 'balance_after_nano'], "kind = 'credit'"],
  ['reservation', ['amount_nano', 'account_id'], 'true'],
  ['usage_day', ['amount_nano', 'requests', 'input_tokens'], 'input_tokens > 0'],
  ['usage_total', ['amount_nano', 'requests', 'output_tokens'], 'output_tokens > 0'],
]

/** As SQLite stores a number: in so many bytes. */
const widthOf = (value: bigint) =>
  [8n, 16n, 24n, 32n, 48n, 64n].find((bits) => BigInt.asIntN(Number(bits), value) === value) ?? 64n

const cases = money.flatMap(([table, columns, rows]) =>
  columns.map((column) => [table, column, rows] as const),
)

test.each(cases)('each flipped byte of %s.%s is told', async (table, column, rows) => {
  const random = createRandom(table.length + column.length)
  for (let turn = 0; turn < 3; turn++) {
    tamper(clean, changed, (db) => {
      db.run('PRAGMA ignore_check_constraints = ON')
      const where = `"${table}" WHERE ${rows}`
      using count = db.prepare<{ n: number }, []>(`SELECT count(*) AS n FROM ${where}`)
      const skipped = Math.floor(random() * (count.get()?.n ?? 0))
      const key =
        table === 'usage_day'
          ? 'token_id, day, model'
          : table === 'usage_total'
            ? 'day, model'
            : table === 'reservation'
              ? 'request_id'
              : 'id'
      const one = `FROM ${where} ORDER BY ${key} LIMIT 1 OFFSET ${skipped}`
      const row = db.query<{ value: number }, []>(`SELECT "${column}" AS value ${one}`).get()
      const value = BigInt(row?.value ?? 0)
      const bits = widthOf(value)
      const byte = turn === 0 ? 0n : BigInt(Math.floor(random() * Number(bits / 8n)))
      const mask = BigInt(1 + Math.floor(random() * 255)) << (byte * 8n)
      const flipped = BigInt.asIntN(Number(bits), value ^ mask)
      db.run(
        `UPDATE "${table}" SET "${column}" = ${flipped} WHERE (${key}) = (SELECT ${key} ${one})`,
      )
    })
    expect(await told(false)).not.toEqual([])
  }
})

test('a digit of a price by which somebody was charged is told', async () => {
  tamper(clean, changed, (db) =>
    db.run(`UPDATE model_price SET terms = replace(terms, '"output":', '"output":1')
      WHERE id = (SELECT price_id FROM request WHERE output_tokens > 0 AND amount_nano > 0 LIMIT 1)`),
  )
  expect((await told(false)).join('\n')).toMatch(/amount_nano is \d+, should be \d+/)
})

test('a byte that makes no text is told by --deep with its row, and by nothing else', async () => {
  tamper(clean, changed, (db) =>
    db.run("UPDATE token SET name = CAST(x'61ff62' AS TEXT) WHERE id = 7"),
  )
  expect(await told(false)).toEqual([])
  expect(await told(true)).toEqual(['table token: id 7: a text is not UTF-8'])
})

test('numbers that nobody has written are told by --deep with their row', async () => {
  tamper(clean, changed, (db) => {
    db.run('UPDATE account SET credit_limit_nano = 1 << 60 WHERE id = 3')
    db.run('UPDATE token SET created_at = 1 << 50 WHERE id = 4')
    db.run(`UPDATE attempt SET usage_raw = '{' WHERE (request_row, position) =
      (SELECT min(request_row), 0 FROM attempt)`)
  })
  expect(await told(true)).toEqual([
    `table account: id 3: credit_limit_nano is ${1n << 60n}: is out of the range 0 to 9007199254740991`,
    `table token: id 4: created_at is ${1n << 50n}: is out of the range 0 to 7258118400000`,
    expect.stringMatching(
      /^table attempt: request_row \d+, position 0: usage_raw is '\{': is no JSON$/,
    ),
  ])
})

test('a code that never expires is as it was written', async () => {
  tamper(clean, changed, (db) =>
    db.run(`INSERT INTO verification (identifier, value, created_at, updated_at, expires_at)
      VALUES ('set-up', 'sealed', 1, 1, ${Number.MAX_SAFE_INTEGER})`),
  )
  expect(await told(true)).toEqual([])
})

test('a list of free pages that is broken is told by --deep', async () => {
  const freed = folder.file('freed.db')
  tamper(clean, freed, (db) => {
    db.run('CREATE TABLE junk AS SELECT * FROM request')
    db.run('DROP TABLE junk')
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  })
  copyFileSync(freed, changed)
  const bytes = readFileSync(changed)
  const trunk = (bytes.readUInt32BE(32) - 1) * page
  bytes.writeUInt32BE(bytes.length, trunk)
  const file = openSync(changed, 'r+')
  writeSync(file, bytes)
  closeSync(file)
  expect(await told(false)).toEqual([])
  expect((await told(true)).join('\n')).toMatch(/^the file: /)
})
