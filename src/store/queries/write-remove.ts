import { WriteRefused, type Writes } from '../ports/admin.ts'
import { build } from './build.ts'
import { clearCooling } from './health.ts'
import { requireAccount, requireNamed } from './names.ts'
import { removeSignIn } from './sign-in/passwords.ts'
import { first, run, type Steps } from './steps.ts'
import { removePrice } from './write-catalog.ts'
import { deleteToken } from './write-tokens.ts'

function* removeToken(id: number, now: number): Steps<void> {
  if (yield* deleteToken(id, now)) return
  const known = yield* first(build.selectFrom('token').select('id').where('id', '=', id))
  throw new WriteRefused(
    known === undefined ? `there is no token with id ${id}` : `token ${id} is deleted already`,
  )
}

/** Marks an account and its tokens as deleted, and takes away what it signs in with, and its responses. */
export function* removeAccount(email: string, now: number): Steps<void> {
  const id = yield* requireAccount(email, 'remove account')
  const tokens = build.updateTable('token').set({ deleted_at: now })
  yield* run(tokens.where('account_id', '=', id).where('deleted_at', 'is', null))
  yield* run(build.updateTable('account').set({ deleted_at: now }).where('id', '=', id))
  yield* removeSignIn(id)
  yield* run(build.deleteFrom('response').where('account_id', '=', id))
}

function* removeGroup(name: string, now: number): Steps<void> {
  const id = yield* requireNamed('group', name, 'remove group')
  const tokens = yield* first(
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
  yield* run(build.deleteFrom('group_channel').where('group_id', '=', id))
  yield* run(build.updateTable('group').set({ deleted_at: now }).where('id', '=', id))
}

function* removeChannel(name: string, now: number): Steps<void> {
  const id = yield* requireNamed('channel', name, 'remove channel')
  yield* run(build.deleteFrom('group_channel').where('channel_id', '=', id))
  yield* clearCooling(id)
  yield* run(build.updateTable('channel').set({ deleted_at: now }).where('id', '=', id))
}

/** Removes in the order in which things let go of each other: a group after its tokens. */
export function* removeAll(remove: NonNullable<Writes['remove']>, now: number): Steps<void> {
  for (const id of new Set(remove.tokenIds)) yield* removeToken(id, now)
  for (const email of new Set(remove.accounts)) yield* removeAccount(email, now)
  for (const name of new Set(remove.groups)) yield* removeGroup(name, now)
  for (const name of new Set(remove.channels)) yield* removeChannel(name, now)
  for (const model of new Set(remove.prices)) yield* removePrice(model, now)
}
