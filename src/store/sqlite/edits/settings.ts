import type { SettingEdits, StoredSettings } from '../../ports/setting-edits.ts'
import { parseColumn } from '../json.ts'
import type { Queries } from '../queries.ts'
import { type Change, type EditParts, inTransaction, note } from './change.ts'
import { checkRevision, revisionOf } from './revision.ts'

/** Settings by hand: all that change together, in one transaction with one audit row. */
export function createSettingEdits(parts: EditParts): SettingEdits {
  const { queries, access } = parts
  const set = inTransaction(parts)(setSettings)
  return {
    storedSettings: () => access(() => readSettings(queries)),
    setSettings: (changes, edit) => set(edit, changes),
  }
}

function readSettings({ build, all }: Queries): StoredSettings {
  const rows = all(build.selectFrom('setting').selectAll().orderBy('name'))
  const texts = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  return {
    values: new Map(rows.map(({ name, value }) => [name, parseColumn<unknown>(value)])),
    revision: revisionOf({ all: JSON.stringify(texts) }, ['all']),
  }
}

function setSettings(
  change: Change,
  changes: ReadonlyMap<string, string | number | boolean | null>,
): void {
  const { queries, now, edit } = change
  const { build, run } = queries
  const before = readSettings(queries)
  checkRevision(edit.revision, before.revision, 'a setting')
  const detail: Record<string, { from: unknown; to: unknown }> = {}
  for (const [name, to] of changes) {
    const from = before.values.get(name) ?? null
    if (from === to) continue
    detail[name] = { from, to }
    run(build.deleteFrom('setting').where('name', '=', name))
    if (to === null) continue
    const row = { name, value: JSON.stringify(to), updated_at: now }
    run(build.insertInto('setting').values(row))
  }
  if (Object.keys(detail).length > 0) note(change, 'settings.set', 'settings', detail)
}
