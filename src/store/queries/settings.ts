import { sql } from 'kysely'
import type { StoredSettings } from '../ports/edits.ts'
import { parseColumn } from '../schema/columns.ts'
import { type Change, checkRevision, note, revisionOf } from './changes.ts'
import { all, run, type Steps } from './steps.ts'

/** What was set by hand. */
export function* readSettings(): Steps<StoredSettings> {
  const rows = yield* all(
    sql<{ name: string; value: string }>`SELECT name, value FROM setting ORDER BY name`,
  )
  const texts = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  return {
    values: new Map(rows.map(({ name, value }) => [name, parseColumn<unknown>(value)])),
    revision: revisionOf({ all: JSON.stringify(texts) }, ['all']),
  }
}

/** Changes settings: all that change together, with one audit row. */
export function* setSettings(
  change: Change,
  changes: ReadonlyMap<string, string | number | boolean | null>,
): Steps<void> {
  const { now, edit } = change
  const before = yield* readSettings()
  checkRevision(edit.revision, before.revision, 'a setting')
  const detail: Record<string, { from: unknown; to: unknown }> = {}
  for (const [name, to] of changes) {
    const from = before.values.get(name) ?? null
    if (from === to) continue
    detail[name] = { from, to }
    yield* run(sql`DELETE FROM setting WHERE name = ${name}`)
    if (to === null) continue
    yield* run(sql`INSERT INTO setting (name, value, updated_at)
      VALUES (${name}, ${JSON.stringify(to)}, ${now})`)
  }
  if (Object.keys(detail).length > 0) yield* note(change, 'settings.set', 'settings', detail)
}
