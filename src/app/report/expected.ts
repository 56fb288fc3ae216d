import { WriteRefused } from '../../store/ports/admin.ts'
import { StoreError } from '../../store/ports/store-error.ts'
import { UserError } from '../instance.ts'

/**
 * The message of an error that a person can act on; undefined for anything else, which is a bug
 * and is worth its stack.
 */
export function expectedMessage(error: unknown): string | undefined {
  const expected =
    error instanceof UserError || error instanceof WriteRefused || error instanceof StoreError
  return expected || isOfSystem(error) ? error.message : undefined
}

/** What the system has refused to do: a file that is not there, a full disk. It names what and why. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'code' in error
}
