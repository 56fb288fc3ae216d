import { DatabaseError } from 'pg'
import { StoreError } from '../ports/store-error.ts'

/** SQLSTATE (or its beginning) → what to tell, as the rest of a sentence that begins with the place. */
const explanations: readonly (readonly [string, string])[] = [
  ['08', 'can not be reached: check that the server runs and the network between'],
  ['25006', 'takes no writing (it is a standby): name the primary server'],
  ['28', 'refuses this user: check user and password'],
  ['3D', 'does not exist: create it ("createdb"), or name another one'],
  ['42501', 'forbids this to the user: make it the owner of the database'],
  ['53100', 'can not grow because the disk is full: make room, then try again'],
  ['53', 'has no room for another connection: raise max_connections, or use fewer nodes'],
  ['57014', 'took too long to answer: look for what keeps it busy, then try again'],
  ['57P', 'is being stopped or started: wait for it, then try again'],
  ['58', 'can not be read or written: check the disk of the server'],
  ['XX001', 'is damaged: restore a backup'],
]

/** Two transactions stood in each other's way: the same again may do. */
const conflicts = new Set(['40001', '40P01', '55P03'])

/** Whether a transaction was taken back for the sake of another one. */
export const isConflict = (error: unknown): boolean =>
  error instanceof DatabaseError && conflicts.has(error.code ?? '')

/** Whether the server could not be asked, or was ended before it answered. */
export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(08|53300|57P)/.test(error.code ?? '')
  return error instanceof ConnectionLost
}

/** What the driver says when a connection can't be made, or ends, or does not answer. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/** An error of the database in words a person can act on; anything else comes back as it is. */
export function explainFailure(error: unknown, place: string): unknown {
  if (error instanceof ConnectionLost) {
    return new StoreError(
      `The database ${place} can not be reached: check that the server runs and the network ` +
        `between (${error.message}).`,
      { cause: error },
    )
  }
  if (!(error instanceof DatabaseError)) return error
  const code = error.code ?? ''
  const known = explanations.find(([prefix]) => code.startsWith(prefix))
  if (known === undefined) return error
  return new StoreError(`The database ${place} ${known[1]} (${code}: ${error.message}).`, {
    cause: error,
  })
}
