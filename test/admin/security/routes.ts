import { until } from '../../e2e/until.ts'
import { type Asked, password, type SecurityScene } from './scene.ts'

/** The things of `user@example.com` that routes are asked for, by the name of their parameter. */
export async function makeThings({ store, app, open }: SecurityScene) {
  await (await app.ask('/v1/chat/completions', { model: 'no-model', messages: [] })).text()
  const newest = async () => (await store.lists.requests({}, { size: 1 })).rows[0]
  const request = await until('the request is on record', newest)
  const user = await store.admin.account('user@example.com')
  const [token] = await store.admin.tokens({ account: 'user@example.com' })
  const { channels, groups } = await store.edits.editableCatalog()
  const [channel, group] = [channels[0], groups[0]]
  if (!user || !token || !channel || !group) throw new Error('something is missing')
  await open('user')
  const [session] = await store.signIn.sessions(user.id, Date.now())
  const key = { publicKey: 'key', credentialId: 'id', counter: 0, deviceType: 'singleDevice' }
  const more = { name: 'key', isBackedUp: false, transports: '', aaguid: '' }
  const passkey = await store.signIn.addPasskey({ ...key, ...more, accountId: user.id })
  return {
    accounts: String(user.id),
    tokens: String(token.id),
    requests: request.requestId,
    sessions: String(session?.id),
    passkeys: String(passkey),
    channels: String(channel.id),
    groups: String(group.id),
    jobs: 'none',
  } as const
}

export type Things = Awaited<ReturnType<typeof makeThings>>

/** Names that differ from one route to the next, where the list has no thing of that name. */
const parameters: Readonly<Record<string, string>> = {
  model: 'test-model',
  protocol: 'chat',
  name: 'tollgate-1.db',
  ticket: 'ticket',
  id: 'company',
}

const wrong = { password: 'not-the-password' }

/** What is sent where nothing, or `{}`, would be refused before it is known whose the thing is. */
const bodies: Readonly<Record<string, object>> = {
  'PATCH /api/v1/tokens/{id}': { strict: true },
  'POST /api/v1/tokens/{id}/reveal': { password },
  'DELETE /api/v1/admin/accounts/{id}/two-factor': wrong,
  'POST /api/v1/auth/password': { current_password: 'wrong', new_password: 'a-new-password' },
  'POST /api/v1/auth/two-factor/enable': wrong,
  'POST /api/v1/auth/two-factor/confirm': { code: '123456' },
  'POST /api/v1/auth/two-factor/disable': wrong,
  'POST /api/v1/auth/two-factor/backup-codes': wrong,
  'POST /api/v1/auth/unlink': { provider: 'company' },
  'POST /api/v1/auth/passkeys': { name: 'key', response: {} },
}

/** The same for the query. */
const queries: Readonly<Record<string, (things: Things) => string>> = {
  'POST /api/v1/playground/{protocol}': ({ tokens }) => `?token=${tokens}`,
}

/** What is sent to a route of the documentation, with the things in place of its parameters. */
export function askedOf(route: string, things: Things): Asked {
  const [method = '', path = ''] = route.split(' ')
  const known: Readonly<Record<string, string>> = things
  const filled = path
    .replace(/(\w+)\/\{id\}/g, (found, list: string) =>
      known[list] === undefined ? found : `${list}/${known[list]}`,
    )
    .replace('{token}', things.tokens)
    .replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? name)
  const asked = { method, path: filled + (queries[route]?.(things) ?? '') }
  return method === 'GET' ? asked : { ...asked, body: bodies[route] ?? {} }
}
