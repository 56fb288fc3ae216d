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
  return expected ? error.message : undefined
}
