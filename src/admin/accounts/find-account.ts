import type { AccountEdits, EditableAccount } from '../../store/ports/edits.ts'
import { ApiError } from '../api-error.ts'

/** An account by its id; throws an `ApiError` when it is not there. */
export async function findAccount(
  edits: Pick<AccountEdits, 'findAccount'>,
  id: number,
): Promise<EditableAccount> {
  const found = await edits.findAccount(id)
  if (found) return found
  throw new ApiError('not_found', `There is no account ${id}; it may be removed.`)
}
