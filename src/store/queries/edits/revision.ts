import { Conflict } from '../../ports/edits.ts'

/** One value of a row. */
type Cell = string | number | null | Uint8Array

/**
 * Tells states of a row apart: a short hash over the named columns, those that people edit. It says
 * nothing of their values to who does not know them.
 */
export function revisionOf<Row extends object>(row: Row, columns: readonly (keyof Row)[]): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const column of columns) {
    const value = row[column] as Cell | undefined
    hasher.update(`${value === null || value === undefined ? 'null' : typeof value}:`)
    hasher.update(value instanceof Uint8Array ? value : String(value))
    hasher.update('\0')
  }
  return hasher.digest('hex').slice(0, 16)
}

/** Throws `Conflict` when a change was made for another state than the present one. */
export function checkRevision(seen: string | undefined, present: string, what: string): void {
  if (seen !== undefined) checkSeen(seen, present, what)
}

/** The same for rows that are told apart by their ids, of which one must be named. */
export function checkSeen<Id>(seen: Id, present: Id, what: string): void {
  if (seen === present) return
  throw new Conflict(
    `${what} was changed by somebody else meanwhile; look at it anew, then change it`,
  )
}
