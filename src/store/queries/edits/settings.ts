import type { SettingEdits, StoredSettings } from '../../ports/edits.ts'
import { build } from '../build.ts'
import { parseColumn } from '../json.ts'
import { all, run, type Steps } from '../steps.ts'
import { type Change, type EditParts, inTransaction, note } from './change.ts'
import { checkRevision, revisionOf } from './revision.ts'

/** Settings by hand: all that change together, in one transaction with one audit row. */
export function createSettingEdits(parts: EditParts): SettingEdits {
  const { engine } = parts
  const set = inTransaction(parts)(setSettings)
  return {
    storedSettings: () => engine.read(readSettings),
    setSettings: (changes, edit) => set(edit, changes),
  }
}

function* readSettings(): Steps<StoredSettings> {
  const rows = yield* all(build.selectFrom('setting').selectAll().orderBy('name'))
  const texts = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  return {
    values: new Map(rows.map(({ name, value }) => [name, parseColumn<unknown>(value)])),
    revision: revisionOf({ all: JSON.stringify(texts) }, ['all']),
  }
}

function* setSettings(
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
