import { GroupClosed } from '../ports/edits.ts'
import { mayUse } from '../ports/group-access.ts'
import { build } from './build.ts'
import { parseList } from './json.ts'
import { all, first, type Steps } from './steps.ts'

/** Whom a stored list of a group names; null: the group is open to all. */
const membersOf = (accounts: string | null) =>
  accounts === null ? null : new Set(parseList(accounts))

function* readGroup(id: number) {
  const rows = build.selectFrom('group').select(['name', 'accounts']).where('id', '=', id)
  const row = yield* first(rows)
  return { name: row?.name ?? '', accounts: membersOf(row?.accounts ?? null) }
}

/**
 * Refuses a group that an account may not use: every token that is made, moved or brought back comes
 * by here, whoever does it. `asker` begins the message: `token "laptop"`.
 */
export function* requireOpenGroup(id: number, accountId: number, asker: string): Steps<void> {
  const { name, accounts } = yield* readGroup(id)
  if (accounts === null) return
  const row = yield* first(
    build
      .selectFrom('account')
      .select(['email', 'email_verified as verified'])
      .where('id', '=', accountId),
  )
  if (row === undefined) return
  const { email, verified } = row
  if (mayUse(accounts, { email, isVouched: verified === 1 })) return
  const isNamed = accounts.has(email.toLowerCase())
  throw new GroupClosed(
    isNamed
      ? `${asker}: the group "${name}" names ${email}, but that account registered itself, and ` +
          'nobody has vouched for its address (tollgate account set … --vouch)'
      : `${asker}: the group "${name}" is not open to ${email}; choose another group, or name the ` +
          'account among those that may use it (tollgate group set … --accounts)',
  )
}

/** Refuses a group for tokens of another one, when it is not open to the owner of one of them. */
export function* requireOpenToOwners(id: number, formerGroupId: number): Steps<void> {
  const { accounts } = yield* readGroup(id)
  if (accounts === null) return
  const owners = yield* all(
    build
      .selectFrom('token')
      .select('account_id')
      .distinct()
      .where('group_id', '=', formerGroupId)
      .where('deleted_at', 'is', null),
  )
  for (const { account_id } of owners) {
    yield* requireOpenGroup(id, account_id, 'its tokens can not go there')
  }
}
