import type { SignedIn } from '../../src/admin/access.ts'
import { applyConfig } from '../../src/app/apply.ts'
import { createTollgate } from '../../src/app/tollgate.ts'
import { createLogger } from '../../src/lib/log.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import { configOf } from '../app/serving.ts'
import { dialects } from '../e2e/dialects.ts'
import { openStore } from './empty-store.ts'
import { jsonAnswer, startFakeUpstream } from './fake-upstream.ts'
import { type TollgateYamlOptions, testKey, tollgateYaml } from './tollgate-yaml.ts'

/** The accounts of a scene. `user@example.com` owns the token `testKey` of group `default`. */
export const people = {
  admin: 'admin@example.com',
  user: 'user@example.com',
  other: 'other@example.com',
} as const
export type Person = keyof typeof people

/** An answer of the console's API. */
export interface ApiAnswer {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly reason?: string
  readonly field?: string
  readonly fault?: string
  // What it is depends on the route; a test looks at what it expects.
  readonly data: Record<string, unknown>
}

const origin = 'http://gateway.example'

/** The whole gateway in this process, and people who are signed in to its console. */
export async function startConsoleScene(yaml: Partial<TollgateYamlOptions> = {}) {
  const clock = () => Date.now()
  const upstream = startFakeUpstream(({ path }) => {
    const dialect = Object.values(dialects).find((one) => one.path(false) === path)
    return jsonAnswer(dialect?.body({ input: 100, output: 50 }) ?? {})
  })
  const config = configOf(
    tollgateYaml({
      ...{ upstream: upstream.url, store: ':memory:' },
      moreAccounts: [
        { email: people.admin, role: 'admin', balance: 10 },
        { email: people.other, balance: 10 },
      ],
      ...yaml,
    }),
  )
  const store = await openStore(clock)
  const secrets = createSecretBox('a secret of this test')
  await applyConfig({ store, secrets }, config, { prune: false })
  const lines: string[] = []
  const log = createLogger({
    sink: (line) => lines.push(line),
    pretty: false,
    clock,
    level: 'warn',
  })
  const sessions = {
    async find(request: Request): Promise<SignedIn | undefined> {
      const email = request.headers.get('x-test-person')
      const account = email === null ? undefined : await store.admin.account(email)
      if (!account) return undefined
      return {
        accountId: account.id,
        email: account.email,
        role: account.role,
        isVouched: account.isVouched,
        sessionId: `session of ${email}`,
        signedInAt: clock(),
      }
    },
  }
  const tollgate = await createTollgate({ config, store, secrets, log, clock, sessions })

  async function send(person: Person | null, method: string, path: string, body?: unknown) {
    const headers = new Headers({ origin, host: 'gateway.example' })
    if (person) headers.set('x-test-person', people[person])
    if (body !== undefined) headers.set('content-type', 'application/json')
    const request = new Request(origin + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return tollgate.app.handle(request)
  }

  return {
    store,
    secrets,
    tollgate,
    upstream,
    /** What the gateway logged as a warning or an error. */
    lines,
    /** Sends a request of the console; null: nobody is signed in. */
    send,
    /** The same, for routes that answer in the envelope. */
    async ask(person: Person | null, method: string, path: string, body?: unknown) {
      const response = await send(person, method, path, body)
      const answer = (await response.json()) as Omit<ApiAnswer, 'status'>
      return { ...answer, status: response.status } satisfies ApiAnswer
    },
    /** A model request with a key; a chat completion. */
    chat(model = 'test-model', key = testKey): Promise<Response> {
      return tollgate.app.handle(
        new Request(`${origin}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
        }),
      )
    },
    async stop() {
      await tollgate.settled()
      await tollgate.stop()
      await store.close()
      upstream.stop()
    },
  }
}

/** Shows a scene to browsers. The first answer waits until the console is built, on a busy machine for long. */
export const serveScene = ({
  tollgate,
}: Pick<Awaited<ReturnType<typeof startConsoleScene>>, 'tollgate'>) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 120,
    fetch: (request) => tollgate.app.handle(request),
  })
