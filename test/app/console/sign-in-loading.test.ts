import { expect, test } from 'bun:test'
import { join } from 'node:path'

const scene = join(import.meta.dir, 'sign-in-scene.ts')

/** Tells whether the sign-in library was loaded: before and after somebody signs in. */
const script = `
let loaded = 0
Bun.plugin({
  name: 'watch',
  setup(build) {
    build.onLoad({ filter: /better-auth.dist.auth.minimal\\.mjs$/ }, async ({ path }) => {
      loaded++
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
const before = loaded
await browser.signIn(admin)
console.log(JSON.stringify({ statuses, before, after: loaded }))
`

test('the sign-in library is not loaded before somebody signs in', async () => {
  const child = Bun.spawn([process.execPath, '-e', script], {
    // Whatever the other tests run on: no test ends a server that this process would start.
    env: { ...process.env, TOLLGATE_TEST_STORE: 'sqlite' },
    ...{ stdout: 'pipe', stderr: 'pipe' },
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect(err).toBe('')
  expect(JSON.parse(out)).toEqual({ statuses: [401, 200, 200, 200], before: 0, after: 1 })
})
