/** What changes of a row: `{ priority: { from, to } }`, for the audit. */
export type Differences = { readonly [field: string]: unknown }

/** Columns whose values nobody may read in the audit: it says that they have changed. */
const secret = /_sealed$/

/** Of the columns that are to be written, those that differ; empty: nothing changes. */
export function differingColumns<Columns extends object>(
  before: object,
  columns: Columns,
): Partial<Columns> {
  const present = before as { readonly [column: string]: unknown }
  const differing = Object.entries(columns).filter(
    ([column, to]) => to !== undefined && !isEqual(present[column], to),
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
        : [column, { from: shown(present[column]), to: shown(to) }],
    ),
  )
}

function isEqual(a: unknown, b: unknown): boolean {
  return a instanceof Uint8Array && b instanceof Uint8Array ? Bun.deepEquals(a, b) : a === b
}

/** Lists and maps are stored as JSON. */
function shown(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value // a text that only begins like that
  }
}
