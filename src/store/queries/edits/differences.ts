import { parseColumn } from '../json.ts'

/** What changes of a row: `{ priority: { from, to } }`, for the audit. */
export type Differences = { readonly [field: string]: unknown }

/** Columns whose values nobody may read in the audit: it says that they have changed. */
const secret = /_(sealed|mark)$/

/** Lists and maps, which are stored as JSON. */
const json: ReadonlySet<string> = new Set([
  'speaks',
  'models',
  'timeouts',
  'quirks',
  'probe',
  'accounts',
  'tools',
  'regions',
])

/** Of the columns that are to be written, those that differ; empty: nothing changes. */
export function differingColumns<Columns extends object>(
  before: object,
  columns: Columns,
): Partial<Columns> {
  const present = before as { readonly [column: string]: unknown }
  const differing = Object.entries(columns).filter(
    ([column, to]) => to !== undefined && !Bun.deepEquals(present[column], to),
  )
  return Object.fromEntries(differing) as Partial<Columns>
}

/** The same for people. */
export function differences(before: object, changed: object): Differences {
  const present = before as { readonly [column: string]: unknown }
  return Object.fromEntries(
    Object.entries(changed).map(([column, to]) =>
      secret.test(column)
        ? [column.replace(secret, ''), to === null ? 'removed' : 'changed']
        : [column, { from: shown(column, present[column]), to: shown(column, to) }],
    ),
  )
}

const shown = (column: string, value: unknown): unknown =>
  json.has(column) && typeof value === 'string' ? parseColumn<unknown>(value) : value
