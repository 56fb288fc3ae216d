import { type Member, mayUse } from '../store/ports/group-access.ts'
import type { Group } from './catalog.ts'

/**
 * A group as an account may see it: of one that is not open to it (any more) it is told nothing, what
 * it is called, offers and costs by now included. Switched off it is its own all the same.
 */
export const seenBy = (
  account: Member | undefined,
  group: Group | undefined,
): Group | 'closed' | undefined =>
  group === undefined || (account && mayUse(group.accounts, account)) ? group : 'closed'
