import { expect, test } from 'bun:test'
import { join } from 'node:path'

const scene = join(import.meta.dir, 'sign-in-scene.ts')

/** Tells which libraries of ways in were loaded: until somebody has signed in, and after a passkey's begin. */
const script = `
const loaded = new Set()
Bun.plugin({
  name: 'watch',
  setup(build) {
    build.onLoad({ filter: /node_modules.(openid-client|otpauth|@simplewebauthn.server).*\\.m?js$/ }, async ({ path }) => {
      loaded.add(path.split('node_modules/').at(-1).split('/').at(0))
      return { contents: await Bun.file(path).text(), loader: 'js' }
    })
  },
})
const { startSignIn, createBrowser, admin } = await import(${JSON.stringify(scene)})
await using app = await startSignIn()
const browser = createBrowser(app.serving.url)
const statuses = [await browser.status()]
for (const path of ['/api/v1/auth/methods', '/api/v1/setup', '/console'])
  statuses.push((await browser.get(path)).status)
statuses.push((await browser.signIn(admin)).status)
const before = [...loaded]
await browser.get('/api/v1/auth/passkey/options')
console.log(JSON.stringify({ statuses, before, after: [...loaded] }))
`

test('what a way in needs is not loaded before somebody takes it', async () => {
  const child = Bun.spawn([process.execPath, '-e', script], {
    // Whatever the other tests run on: no test ends a server that this process would start.
    env: { ...process.env, TOLLGATE_TEST_STORE: 'sqlite' },
    ...{ stdout: 'pipe', stderr: 'pipe' },
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect(err).toBe('')
  const statuses = [401, 200, 200, 200, 200]
  expect(JSON.parse(out)).toEqual({ statuses, before: [], after: ['@simplewebauthn'] })
})
