import { afterAll, describe, expect, test } from 'bun:test'
import { askedOf, makeThings } from './security/routes.ts'
import { type Person, people, startSecurityScene } from './security/scene.ts'
import { table } from './security/table.ts'

const scene = await startSecurityScene()
const things = await makeThings(scene)
afterAll(scene.stop)

/** Public documents, which the console shows, too. */
const site = ['model-plaza', 'settings/public', 'status'].map((name) => `GET /api/v1/${name}`)

/** Asks for what is the user's; `missing`: for what nobody has. */
function askFor(person: Person, route: string, missing = false) {
  const none = { ...things, tokens: '987654', sessions: '987654', passkeys: '987654' }
  const used = missing ? { ...none, requests: 'req_987654' } : things
  return scene.ask(person, askedOf(route, used))
}

/** The status; what is sent without end is not waited for. */
async function statusFor(person: Person, route: string): Promise<number> {
  const response = await askFor(person, route)
  await response.body?.cancel()
  return response.status
}

test('the table has every route of the documentation, and no other', async () => {
  const response = await scene.ask('anonymous', { method: 'GET', path: '/docs/json' })
  const { paths } = (await response.json()) as { paths: Record<string, object> }
  const documented = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((way) => `${way.toUpperCase()} ${path}`))
    .filter((route) => !site.includes(route))
  expect(Object.keys(table).toSorted()).toEqual(documented.toSorted())
})

/** All that routes may change and that is kept. */
async function kept() {
  const { lists, edits, signIn } = scene.store
  const { rows: accounts } = await lists.accounts({}, { size: 100 })
  const ids = accounts.map(({ id }) => id)
  return {
    audit: (await lists.audit({}, { size: 100 })).rows,
    accounts,
    tokens: (await lists.tokens({}, { size: 100 })).rows,
    catalog: await edits.editableCatalog(),
    sessions: await Promise.all(ids.map((id) => signIn.sessions(id, 0))),
    waysIn: await Promise.all(ids.map((id) => signIn.waysIn(id))),
  }
}

/** What a browser says of where a request comes from; undefined: nothing. */
const from = (site: string | undefined, origin: string | undefined) => ({
  headers: { 'sec-fetch-site': site, origin },
})

describe('a page of another site changes nothing, though the browser has a session', () => {
  const changing = Object.keys(table).filter((route) => !route.startsWith('GET '))

  test.each([
    ['its origin', from('cross-site', 'https://evil.example')],
    ['its origin, from a browser that says no more', from(undefined, 'https://evil.example')],
    ['the same host on another port', from('same-site', 'http://127.0.0.1:1')],
    ['our host as a name in its own', from('cross-site', `${scene.url}.evil.example`)],
    ['a frame without an origin', from('cross-site', 'null')],
    ['no origin, but another site', from('cross-site', undefined)],
    ['no origin, but a neighbour', from('same-site', undefined)],
  ])('%s', async (_, { headers }) => {
    const before = await kept()
    for (const route of changing) {
      const person = route.includes('/admin/') ? 'admin' : 'user'
      const asked = askedOf(route, things)
      for (const body of [asked.body, '{"broken']) {
        const response = await scene.ask(person, { ...asked, body, headers })
        const { reason } = (await response.json()) as { reason: string }
        expect([route, response.status, reason]).toEqual([route, 403, 'foreign_origin'])
      }
    }
    expect(await kept()).toEqual(before)
  })

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
    'nor by a form, whatever it says of itself: %s',
    async (type) => {
      const before = await kept()
      for (const route of changing) {
        const person = route.includes('/admin/') ? 'admin' : 'user'
        const asked = askedOf(route, things)
        const body = JSON.stringify(asked.body)
        const headers = { 'content-type': type }
        const response = await scene.ask(person, { ...asked, body, headers })
        const { reason } = (await response.json()) as { reason: string }
        expect([route, response.status, reason]).toEqual([route, 415, 'content_type'])
      }
      expect(await kept()).toEqual(before)
    },
  )
})

test.each(Object.keys(table).filter((route) => table[route]?.join() === '401,200,404,404'))(
  'another’s and none are the same: %s',
  async (route) => {
    for (const person of ['other', 'admin'] as const) {
      const [anothers, none] = [await askFor(person, route), await askFor(person, route, true)]
      const shown = (text: string) => text.replace(/987654|req_\w+|\b\d{1,3}\b/g, 'ID')
      expect(shown(await anothers.text())).toBe(shown(await none.text()))
      expect([anothers.status, [...anothers.headers.keys()]]).toEqual([
        404,
        [...none.headers.keys()],
      ])
    }
  },
)

// What may be done to a thing is done by its owner at last, so that the others ask for what is there.
for (const [route, [anonymous, user, other, admin]] of Object.entries(table)) {
  test(route, async () => {
    const expected = { anonymous, user, other, admin }
    const order = route.includes('/admin/') ? people : people.toReversed()
    const found: Partial<Record<Person, number>> = {}
    for (const person of order) found[person] = await statusFor(person, route)
    expect(found).toEqual(expected)
  })
}
