import { WriteRefused, type Writes } from '../ports/admin.ts'
import { clearCooling } from './health.ts'
import { requireAccount, requireNamed } from './names.ts'
import type { Queries } from './queries.ts'
import { removeSignIn } from './sign-in/passwords.ts'
import { deleteToken } from './write-accounts.ts'
import { removePrice } from './write-catalog.ts'

function removeToken(queries: Queries, id: number, now: number): void {
  if (deleteToken(queries, id, now)) return
  const { build, first } = queries
  const known = first(build.selectFrom('token').select('id').where('id', '=', id))
  throw new WriteRefused(
    known === undefined ? `there is no token with id ${id}` : `token ${id} is deleted already`,
  )
}

/** Marks an account and its tokens as deleted, and takes away what it signs in with. */
export function removeAccount(queries: Queries, email: string, now: number): void {
  const { build, run } = queries
  const id = requireAccount(queries, email, 'remove account')
  const tokens = build.updateTable('token').set({ deleted_at: now })
  run(tokens.where('account_id', '=', id).where('deleted_at', 'is', null))
  run(build.updateTable('account').set({ deleted_at: now }).where('id', '=', id))
  removeSignIn(queries, id)
}

function removeGroup(queries: Queries, name: string, now: number): void {
  const { build, run, first } = queries
  const id = requireNamed(queries, 'group', name, 'remove group')
  const tokens = first(
    build
      .selectFrom('token')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('group_id', '=', id)
      .where('deleted_at', 'is', null),
  )
  const count = tokens?.count ?? 0
  if (count > 0) {
    throw new WriteRefused(
      `group "${name}" is in use by ${count} ${count === 1 ? 'token' : 'tokens'}; ` +
        'remove them or move them to another group first',
    )
  }
  run(build.deleteFrom('group_channel').where('group_id', '=', id))
  run(build.updateTable('group').set({ deleted_at: now }).where('id', '=', id))
}

function removeChannel(queries: Queries, name: string, now: number): void {
  const { build, run } = queries
  const id = requireNamed(queries, 'channel', name, 'remove channel')
  run(build.deleteFrom('group_channel').where('channel_id', '=', id))
  clearCooling(queries, id)
  run(build.updateTable('channel').set({ deleted_at: now }).where('id', '=', id))
}

/** Removes in the order in which things let go of each other: a group after its tokens. */
export function removeAll(
  queries: Queries,
  remove: NonNullable<Writes['remove']>,
  now: number,
): void {
  for (const id of new Set(remove.tokenIds)) removeToken(queries, id, now)
  for (const email of new Set(remove.accounts)) removeAccount(queries, email, now)
  for (const name of new Set(remove.groups)) removeGroup(queries, name, now)
  for (const name of new Set(remove.channels)) removeChannel(queries, name, now)
  for (const model of new Set(remove.prices)) removePrice(queries, model, now)
}
