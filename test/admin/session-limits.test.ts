import { expect, test } from 'bun:test'
import { limitSessions } from '../../src/admin/access.ts'
import { ApiError } from '../../src/admin/api-error.ts'
import { startConsoleScene } from '../support/console-scene.ts'

const request = (session = 'a', account = 1) =>
  new Request('http://gateway.example', { headers: { session, account: String(account) } })

function createLimited() {
  let now = 0
  const sessions = limitSessions(
    {
      find: async ({ headers }) => ({
        accountId: Number(headers.get('account')),
        ...{ email: 'a@example.com', isVouched: true, role: 'user', signedInAt: 0 },
        sessionId: headers.get('session') ?? '',
      }),
    },
    () => now,
  )
  return { sessions, wait: (ms: number) => (now += ms) }
}

/** How many requests are let in until one is not, and what that one is told. */
async function askOn(ask: () => Promise<unknown>): Promise<[number, ApiError]> {
  for (let count = 0; count < 10_000; count++) {
    const error = await ask().catch((error: unknown) => error)
    if (error instanceof ApiError) return [count, error]
  }
  throw new Error('Nothing was refused.')
}

test('A8: a session asks so much and no more, and is told when to come again', async () => {
  const { sessions, wait } = createLimited()
  const [count, error] = await askOn(() => sessions.find(request()))
  expect(count).toBe(600)
  expect(error).toMatchObject({ status: 429, details: { retryAfterSeconds: 1 } })
  expect(error.message).toContain('Too many requests of this session')
  // Others are not kept waiting by it.
  expect(await sessions.find(request('b', 2))).toMatchObject({ accountId: 2 })
  wait(60_000)
  expect((await askOn(() => sessions.find(request())))[0]).toBe(600)
})

test('sessions of one account share what it may ask', async () => {
  const { sessions } = createLimited()
  let at = 0
  const [count, error] = await askOn(() => sessions.find(request(`session ${++at}`)))
  expect(count).toBe(1_200)
  expect(error.message).toContain('of this account')
})

test('a request counts once, however often it is looked at: a live view does all the time', async () => {
  const { sessions } = createLimited()
  const live = request()
  for (let look = 0; look < 5_000; look++) await sessions.find(live)
  expect((await askOn(() => sessions.find(request())))[0]).toBe(599)
})

test('A8: every route of the console counts, what another process reads too', async () => {
  const scene = await startConsoleScene()
  const paths = ['/api/v1/me', '/api/v1/tokens', '/api/v1/requests', '/api/v1/groups']
  let at = 0
  const [count] = await askOn(async () => {
    const { status, headers } = await scene.send('user', 'GET', paths[at++ % 4] ?? '')
    if (status === 429) throw new ApiError('too_many_requests', headers.get('retry-after') ?? '')
  })
  // What is given back while the loop is under way, and after it, is let in, too.
  expect(count).toBeGreaterThanOrEqual(600)
  const writes = Array.from({ length: 50 }, () =>
    scene.ask('user', 'POST', '/api/v1/tokens', { group: 'default' }),
  )
  expect((await Promise.all(writes)).map(({ status }) => status)).toContain(429)
  expect((await scene.ask('other', 'GET', '/api/v1/me')).status).toBe(200)
  await scene.stop()
})
