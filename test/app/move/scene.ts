import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { join } from 'node:path'
import type { StorePlace } from '../../../src/app/move/rows.ts'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import { movedTables } from '../../../src/store/moving/move.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { createDice, type Dice } from '../../fuzz/dice.ts'
import { now, temporaryDirectory } from '../../store/support.ts'
import { createDatabase, type TestDatabase } from '../../support/postgres.ts'

/** What everything in such stores is sealed with. */
export const secret = 'a secret of the tests of moving'
const box = createSecretBox(secret)

/** Texts that one engine or the other could take for something else. */
const oddTexts = [
  '',
  ' ',
  'NULL',
  'null',
  "it's",
  '"quoted", {braces}',
  'a\\b\\\\c',
  '\\x00ff',
  '\\u0000 \\ud800',
  'two\r\nlines\ttab',
  '\u{feff}marked',
  'é e\u0301 ß İ',
  '默认【官转·稳定】',
  '😀\u{10ffff}\u{1}',
  'long '.repeat(600),
]

/** Of which a page of rows holds some hundred at most. */
const longText = 'long '.repeat(4_000)

/** Only these may be in a column. */
const choices: { readonly [column: string]: readonly (string | number)[] } = {
  role: ['admin', 'user'],
  status: ['active', 'disabled'],
  'request.status': [200, 429, 500],
  'attempt.status': [200, 500],
  on_disconnect: ['bill_observed', 'drain'],
  source: ['config', 'operator', 'vendor'],
  kind: ['opening', 'charge', 'credit', 'debit'],
  size: ['minute', 'hour', 'day'],
  platform: ['openai', 'anthropic'],
  ending: ['complete', 'interrupted'],
  client_protocol: ['chat', 'messages'],
  allow_private: [0, 1],
  long_context_pricing: [0, 1],
  draining: [0, 1],
  strict: [0, 1],
  email_verified: [0, 1],
  two_factor_enabled: [0, 1],
  verified: [0, 1],
  backed_up: [0, 1],
  stream: [0, 1],
  estimated: [0, 1],
  clamped: [0, 1],
  speaks: ['{"chat":"https://upstream.example/v1"}', '{ "messages" : "https://\\u00e9.example" }'],
  timeouts: ['{"connectMs":1,"firstByteMs":2,"idleMs":3,"totalMs":4}'],
  quirks: ['[]', '["text_only"]'],
  'channel.models': ['[]', '[{"id":"small","upstream":"small-1"}]'],
  'group.models': ['[]', '["small","\\ud83d\\ude00"]'],
  'group.accounts': ['[]', '["ann@example.com"]'],
  'group.regions': ['{"allow":["CN"]}', '{"deny":["RU","KP"]}'],
  'account.regions': ['{"allow":["CN"]}', '{"deny":["RU","KP"]}'],
  'group.tools': ['[]', '["web_search"]'],
  'token.models': ['[]', '["\\ud800 half","\\u0000"]'],
  ip_allow: ['[]', '["10.0.0.0/8"]'],
  probe: ['{"everyMs":60000,"model":"small"}'],
  terms: ['{"unit":"call","perCallNano":40000000}', '{"unit":"call","perCallNano":1}'],
  detail: ['{}', '{"was":1e3,"is":"\\u00e9"}', '{"a":1,"a":2}'],
  value: ['"text"', '[1, 2]', 'null'],
  counts: ['[1,2,3]'],
  charge: ['{}', '{"plan":1e3,"model":"\\u00e9"}'],
}

/** Columns that must not be alike in two rows, alone or with others. */
const unique = ['email', 'name', 'key_hash', 'request_id', 'idempotency_key', 'subject']
const uniqueToo = ['token_hash', 'credential_id', 'position', 'key', 'day', 'started_at', 'model']

/** Columns that name a row that no other one names. */
const onceEach = ['two_factor.account_id', 'attempt.request_row', 'group_channel.channel_id']

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
}

/** Leases are moved, and then they end. */
export const filledTables = movedTables.filter(({ name }) => name !== 'lease')

/** Fills them with rows of random values, nothing of which need make sense. */
function fill(db: Database, dice: Dice, count: number): void {
  const rows = <Row>(text: string, value: string) => db.query(text).all(value) as Row[]
  for (const { name: table, key, without = [] } of filledTables) {
    const columns = rows<Column>('SELECT * FROM pragma_table_info(?)', table).filter(
      (column) => !without.includes(column.name),
    )
    const names = rows<{ from: string; table: string }>(
      'SELECT "from", "table" FROM pragma_foreign_key_list(?)',
      table,
    )
    const marks = columns.map(() => '?').join(', ')
    const list = columns.map(({ name }) => `"${name}"`).join(', ')
    const insert = db.prepare(`INSERT INTO "${table}" (${list}) VALUES (${marks})`)
    for (let index = 1; index <= count; index++) {
      const values = columns.map((column) => {
        if (key[0] === 'id' && column.name === 'id') return index * 3
        if (names.some(({ from }) => from === column.name))
          return onceEach.includes(`${table}.${column.name}`)
            ? index * 3
            : 3 * (1 + dice.below(count))
        return randomValue(table, column, dice, index)
      })
      insert.run(...(values as SQLQueryBindings[]))
    }
  }
}

function randomValue(
  table: string,
  { name, type, notnull, pk }: Column,
  dice: Dice,
  index: number,
) {
  if (name === 'cause_text') return dice.pick([null, longText])
  if (!notnull && !pk && dice.below(3) === 0) return null
  const chosen = choices[`${table}.${name}`] ?? choices[name]
  if (chosen && !(table === 'verification' && name === 'value')) return dice.pick(chosen)
  if (type === 'BLOB') return dice.below(4) === 0 && !notnull ? new Uint8Array() : box.seal('["k"]')
  const isUnique = pk > 0 || unique.includes(name) || uniqueToo.includes(name)
  if (type === 'TEXT') return isUnique ? `${dice.pick(oddTexts)}${index}` : dice.pick(oddTexts)
  if (isUnique) return index
  if (/_at$/.test(name)) return now + dice.below(100_000)
  return dice.pick([0, 1, index, 2 ** 31, 2 ** 53 - 1, dice.below(1_000_000)])
}

/** A folder with places for stores, and databases of PostgreSQL that go with it. */
export interface MoveScene extends AsyncDisposable {
  readonly path: string
  file(name: string): string
  sqlite(name: string): StorePlace & { readonly engine: 'sqlite' }
  postgres(): Promise<StorePlace & { readonly engine: 'postgres' }>
}

export function createScene(): MoveScene {
  const folder = temporaryDirectory()
  const databases: TestDatabase[] = []
  return {
    path: folder.path,
    file: folder.file,
    sqlite: (name) => ({ engine: 'sqlite', path: join(folder.path, name) }),
    async postgres() {
      const database = await createDatabase()
      databases.push(database)
      return { engine: 'postgres', url: database.url }
    },
    async [Symbol.asyncDispose]() {
      for (const database of databases) await database[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** Makes a store with all tables and random rows in nearly all of them. */
export async function makeStore(path: string, seed: number, count: number): Promise<void> {
  await openSqliteStore({ path, clock: () => now }).close()
  const db = new Database(path, { strict: true })
  db.run('PRAGMA foreign_keys = ON')
  db.transaction(() => fill(db, createDice(seed), count))()
  db.close()
}

/** Names of the tables whose rows are not the same in two files, by SQLite's own comparison. */
export function differingTables(one: string, other: string): readonly string[] {
  const db = new Database(one, { readonly: true })
  db.query('ATTACH ? AS other').run(other)
  const differing = movedTables.filter(({ name, without = [] }) => {
    const columns = (
      db.query('SELECT name FROM pragma_table_info(?)').all(name) as { name: string }[]
    ).filter((column) => !without.includes(column.name))
    const list = columns.map((column) => `quote("${column.name}")`).join(', ')
    const [here, there] = ['main', 'other'].map((file) => `SELECT ${list} FROM ${file}."${name}"`)
    const text = `SELECT 1 FROM (${here} EXCEPT ${there}) UNION ALL SELECT 1 FROM (${there} EXCEPT ${here})`
    return db.query(text).all().length > 0
  })
  db.close()
  return differing.map(({ name }) => name)
}
