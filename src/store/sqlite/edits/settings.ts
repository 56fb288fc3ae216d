import type { Edit } from '../../ports/edits.ts'
import type { SettingEdits, StoredSettings } from '../../ports/setting-edits.ts'
import { addAudit } from '../audit.ts'
import { parseColumn } from '../json.ts'
import type { Queries } from '../queries.ts'
import type { EditParts } from './edits.ts'
import { checkRevision, revisionOf } from './revision.ts'

/** Settings by hand: all that change together, in one transaction with one audit row. */
export function createSettingEdits({ db, queries, clock, access }: EditParts): SettingEdits {
  const set = db.transaction(setNow)
  return {
    storedSettings: () => access(() => readSettings(queries)),
    setSettings: (changes, edit) =>
      access(() => set.immediate({ queries, now: clock(), edit }, changes)),
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

interface Change {
  readonly queries: Queries
  readonly now: number
  readonly edit: Edit
}

function setNow(
  { queries, now, edit }: Change,
  changes: ReadonlyMap<string, string | number | boolean | null>,
): void {
  const { build, run } = queries
  const before = readSettings(queries)
  checkRevision(edit.revision, before.revision, 'A setting')
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
  if (Object.keys(detail).length === 0) return
  const entry = { createdAt: now, actor: edit.actor, action: 'settings.set', subject: 'settings' }
  addAudit(queries, { ...entry, detail })
}
