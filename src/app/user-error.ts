import { WriteRefused } from '../store/ports/admin.ts'
import { StoreError } from '../store/ports/store-error.ts'

/** A fault of the user's input or surroundings; shown without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError'
}

/** The message of an error that a person can act on; undefined for a bug, which needs its stack. */
export function expectedMessage(error: unknown): string | undefined {
  const expected =
    error instanceof UserError || error instanceof WriteRefused || error instanceof StoreError
  return expected || isOfSystem(error) ? error.message : undefined
}

/** An error of the system, such as a missing file or a full disk, which names what and why. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'code' in error
}
