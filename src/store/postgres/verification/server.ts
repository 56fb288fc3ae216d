import { sql } from 'kysely'
import type { FileFault, Page } from '../../ports/verification.ts'
import { all, first, pause } from '../../queries/steps.ts'
import type { Reading } from '../../queries/verification/verification.ts'

interface Abilities {
  readonly checksums: string
  readonly isInstalled: boolean
  readonly isAllowed: boolean
}

/** What the server offers: sums of pages, and the extension amcheck. */
const selectAbilities = sql<Abilities>`
SELECT current_setting('data_checksums') AS checksums, amcheck.oid IS NOT NULL AS "isInstalled",
  coalesce(has_function_privilege(verify.oid, 'EXECUTE'), false) AS "isAllowed"
FROM (SELECT 1) AS one
LEFT JOIN pg_extension AS amcheck ON amcheck.extname = 'amcheck'
LEFT JOIN pg_proc AS verify ON verify.proname = 'verify_heapam'`

interface Relation {
  readonly id: number
  readonly name: string
  readonly kind: string
}

const ofTables = sql`pg_class.relnamespace = current_schema()::regnamespace AND relpersistence = 'p'`

const selectTables = sql<Relation>`
SELECT pg_class.oid::bigint AS id, relname AS name, 'table' AS kind FROM pg_class
WHERE relkind = 'r' AND ${ofTables} ORDER BY relname`

const selectIndexes = sql<Relation & { readonly isValid: boolean }>`
SELECT pg_class.oid::bigint AS id, relname AS name, 'index' AS kind, indisvalid AS "isValid"
FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid JOIN pg_am ON pg_am.oid = relam
WHERE amname = 'btree' AND relkind = 'i' AND ${ofTables} ORDER BY relname`

const selectUnproven = sql<{ name: string; table: string }>`
SELECT conname AS name, conrelid::regclass::text AS table FROM pg_constraint
WHERE NOT convalidated AND connamespace = current_schema()::regnamespace`

/** Where they are not there, nothing is installed: that is for who administers the server. */
const ways = {
  checksums:
    'the server keeps no checksums of its pages, so changed bytes go unnoticed that make another value: ' +
    'stop it and run "pg_checksums --enable"',
  missing:
    'tables and indexes were not compared page by page: "CREATE EXTENSION amcheck" makes it possible',
  denied:
    'tables and indexes were not compared page by page: grant this role EXECUTE on verify_heapam and bt_index_check',
}

/** Looks through all pages by what PostgreSQL offers for it, and says what it does not. */
export async function* readServerFaults({ read }: Reading): AsyncGenerator<Page<FileFault>> {
  const page = (...rows: FileFault[]): Page<FileFault> => ({ rows, looked: 0 })
  for (const { name, table } of await read(() => all(selectUnproven))) {
    const text = `the constraint ${name} was never validated`
    yield page({ kind: 'forbidden', table, text })
  }
  const indexes = await read(() => all(selectIndexes))
  for (const { name } of indexes.filter(({ isValid }) => !isValid)) {
    yield page({ kind: 'damage', table: name, text: 'the index is not valid: REINDEX it' })
  }
  const valid = indexes.filter(({ isValid }) => isValid)
  const able = await read(() => first(selectAbilities))
  if (able?.checksums !== 'on') yield page({ kind: 'unchecked', text: ways.checksums })
  if (!able?.isInstalled) return yield page({ kind: 'unchecked', text: ways.missing })
  if (!able.isAllowed) return yield page({ kind: 'unchecked', text: ways.denied })
  for (const relation of [...(await read(() => all(selectTables))), ...valid]) {
    yield page(...(await checkRelation({ read }, relation)))
    await pause()
  }
}

/** Codes of the server: `data_corrupted` and `index_corrupted`. */
const corrupted = /\bXX00[12]\b/

/** What amcheck finds wrong with a table it gives, with an index it throws. */
async function checkRelation({ read }: Pick<Reading, 'read'>, { id, name, kind }: Relation) {
  const damage = (text: string): FileFault => ({ kind: 'damage', table: name, text })
  try {
    if (kind === 'index') {
      await read(() => all(sql`SELECT bt_index_check(${id}::bigint::oid::regclass, true)`))
      return []
    }
    const found = await read(() =>
      all(sql<{ block: number; text: string }>`
        SELECT blkno AS block, msg AS text FROM verify_heapam(${id}::bigint::oid::regclass) LIMIT 100`),
    )
    return found.map(({ block, text }) => damage(`page ${block}: ${text}`))
  } catch (error) {
    const text = String(error)
    if (!corrupted.test(text)) throw error
    return [damage(text)]
  }
}
