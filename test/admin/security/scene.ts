import { type Browser, createBrowser, startSignIn } from '../../app/console/sign-in-scene.ts'
import { dialects } from '../../e2e/dialects.ts'
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'

/** Who asks: nobody, the owner of what is asked for, another user, an administrator. */
export const people = ['anonymous', 'user', 'other', 'admin'] as const
export type Person = (typeof people)[number]

export const password = 'a-long-password-of-a-test'
export const otherKey = 'sk-other-0123456789abcdefghijklmnop'

/** What is asked, and what of its head is not usual (undefined: left out); a text goes as it is. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | undefined>>
}

const account = (person: Person, more: object) => ({
  ...{ email: `${person}@example.com`, balance: 10, password },
  ...more,
})

/** The whole gateway, and browsers with sessions of their own, opened by password. */
export async function startSecurityScene(more: Parameters<typeof startSignIn>[0] = {}) {
  const upstream = startFakeUpstream(({ path }) => {
    const dialect = Object.values(dialects).find((one) => one.path(false) === path)
    return jsonAnswer(dialect?.body({ input: 100, output: 50 }) ?? {})
  })
  const tokens = [{ name: 'of other', key: otherKey, group: 'default' }]
  const app = await startSignIn({
    upstream: upstream.url,
    isSeen: false,
    moreAccounts: [account('admin', { role: 'admin' }), account('other', { tokens })],
    ...more,
  })
  const { store } = app.instance
  const { url } = app.serving
  const other = await store.signIn.account({ email: 'other@example.com' })
  await store.signIn.setPassword({
    account: 'user@example.com',
    passwordHash: String(other?.passwordHash),
    actor: 'test',
  })
  async function signIn(email: string) {
    const browser = createBrowser(url)
    const { status } = await browser.signIn({ email, password })
    if (status !== 200) throw new Error(`${email} could not sign in: ${status}`)
    return browser
  }
  const open = (person: Person) => signIn(`${person}@example.com`)
  const browsers = {
    anonymous: createBrowser(url),
    user: await open('user'),
    other: await open('other'),
    admin: await open('admin'),
  }
  return {
    app,
    store,
    url,
    upstream,
    browsers,
    /** Opens one more browser and signs in there. */
    open,
    signIn,
    /** Asks as a browser of this person does, cookies and all. */
    ask(person: Person | Browser, { method, path, body, headers }: Asked): Promise<Response> {
      const { jar, address } = typeof person === 'string' ? browsers[person] : person
      const head = {
        ...(method !== 'GET' && { origin: url, 'sec-fetch-site': 'same-origin' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-forwarded-for': address,
        ...headers,
      }
      const said = Object.entries(head).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as [string, string]],
      )
      return fetch(url + path, {
        method,
        redirect: 'manual',
        proxy: false,
        headers: said,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    },
    async stop() {
      await app[Symbol.asyncDispose]()
      await upstream.stop()
    },
  }
}

export type SecurityScene = Awaited<ReturnType<typeof startSecurityScene>>
