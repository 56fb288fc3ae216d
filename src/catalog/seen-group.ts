import { type Member, mayUse } from '../store/ports/group-access.ts'
import type { Group } from './catalog.ts'

/**
 * A group as an account may see it. Of a group that is closed to the account it learns nothing: neither
 * its present name nor its models and prices. A group that is only switched off stays visible.
 */
export const seenBy = (
  account: Member | undefined,
  group: Group | undefined,
): Group | 'closed' | undefined =>
  group === undefined || (account && mayUse(group.accounts, account)) ? group : 'closed'
