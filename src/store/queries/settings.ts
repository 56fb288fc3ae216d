import type { StoredSettings } from '../ports/edits.ts'
import { type Change, checkRevision, note, revisionOf } from './changes.ts'
import { parseColumn } from './columns.ts'
import { all, build, run, type Steps } from './steps.ts'

/** What was set by hand. */
export function* readSettings(): Steps<StoredSettings> {
  const rows = yield* all(build.selectFrom('setting').selectAll().orderBy('name'))
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
    yield* run(build.deleteFrom('setting').where('name', '=', name))
    if (to === null) continue
    const row = { name, value: JSON.stringify(to), updated_at: now }
    yield* run(build.insertInto('setting').values(row))
  }
  if (Object.keys(detail).length > 0) yield* note(change, 'settings.set', 'settings', detail)
}
