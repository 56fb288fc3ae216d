import { type DayColumn, type DaySums, dayColumns, type OddDay } from '../../ports/verification.ts'

type Prefixed<Prefix extends string> = {
  readonly [column in DayColumn as `${Prefix}_${column}`]: number | null
}
/** A row that differs, with both sides' columns beside each other; all NULL: that side has none. */
export type Found = Pick<OddDay, 'tokenId' | 'day' | 'model'> &
  Prefixed<'stored'> &
  Prefixed<'summed'>

/** Both sides of a row. What a former version did not count is shown as the other side has it. */
export function toOddDay(found: Found): OddDay {
  const { tokenId, day, model } = found
  return { tokenId, day, model, stored: sumsOf(found, 'stored'), summed: sumsOf(found, 'summed') }
}

function sumsOf(found: Found, prefix: 'stored' | 'summed'): DaySums | null {
  if (found[`${prefix}_requests`] === null) return null
  const pairs = dayColumns.map((column) => {
    const sum = found[`${prefix}_${column}`] ?? found[`summed_${column}`] ?? 0
    return [column, sum] as const
  })
  return Object.fromEntries(pairs) as DaySums
}
