import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { copyScript } from '../../src/look/copy.ts'
import { dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import {
  describeInBrowser,
  expectToFit,
  leadTo,
  openBrowser,
  type TestBrowser,
} from '../support/browser.ts'
import { type Person, people, serveScene, startConsoleScene } from '../support/console-scene.ts'
import { sseAnswer } from '../support/fake-upstream.ts'

// Texts of people and of upstreams in a real browser: they are shown, and do nothing else.

/** What is no text to a page that writes it as it is: markup, an address, a template. */
const markup = `"'><img src=x onerror=window.hit()><script>window.hit()</script>`
const hostile = `${markup}<svg/onload=window.hit()>{{7*7}}</textarea><style>*{display:none}</style>`
/** Without spaces, for what allows none. */
const tight = `"'><img/src=x/onerror=window.hit()>`
const script = 'javascript:window.hit()'
const group = `g ${markup}`
const model = `m ${markup}`
const key = 'sk-hostile-0123456789abcdefghijklmnop'

const site = {
  ...{ name: `site ${markup}`, subtitle: hostile, contact: hostile, plaza_description: hostile },
  doc_url: `https://docs.example/${tight}`,
  custom_endpoints: [
    { name: hostile, endpoint: `https://a.example/${tight}`, description: script },
  ],
}

/** Stands where something of a page is still to come. */
const coming = '.mantine-Skeleton-root, .mantine-Loader-root'

type Scene = Awaited<ReturnType<typeof startConsoleScene>>

const start = () =>
  startConsoleScene({
    ...{ site, models: ['test-model', model, { id: script, upstream: hostile }] },
    prices: { [script]: { per_call: '0.5', note: hostile } },
    moreChannels: [
      {
        name: `c ${markup}`,
        speaks: { chat: 'http://127.0.0.1:9' },
        api_key: tight,
        models: [model],
      },
    ],
    moreGroups: [
      { name: group, description: hostile, platform: tight, channels: ['main', `c ${markup}`] },
    ],
    moreAccounts: [
      {
        ...{ email: people.admin, role: 'admin', balance: 10 },
        tokens: [{ name: `t ${markup}`, key, group, models: [model, script] }],
      },
      { email: `${tight}@evil.example`, balance: 1 },
    ],
  })

/** Fills what is not in the configuration: records, refusals, sessions, reasons. */
async function plant(scene: Scene) {
  const { store, tollgate, upstream } = scene
  for (const name of ['test-model', model, hostile, script])
    await (await scene.chat(name, key)).text()
  upstream.handle(() =>
    Response.json({ error: { message: hostile, type: tight } }, { status: 400 }),
  )
  await (await scene.chat(model, key)).text()
  await tollgate.settled()
  const account = await store.admin.account(people.admin)
  if (!account) throw new Error('no administrator')
  for (const reason of [hostile, script, `=${markup}`])
    await store.admin.adjust({
      ...{ account: people.admin, kind: 'credit', amountNano: 1, actor: people.admin, reason },
      ...{ idempotencyKey: null, mayOverdraw: true },
    })
  const own = { accountId: account.id }
  const session = { tokenHash: 'x', expiresAt: Date.now() + 1e7, address: tight }
  await store.signIn.startSession({ ...own, ...session, userAgent: hostile })
  const keyed = { publicKey: 'x', credentialId: 'x', counter: 0, deviceType: 'multiDevice' }
  const more = { name: hostile, isBackedUp: false, transports: '', aaguid: '' }
  await store.signIn.addPasskey({ ...own, ...keyed, ...more })
  const rows = await until('five requests', async () => {
    const list = await store.lists.requests({}, { size: 9 })
    return list.rows.length === 5 && list.rows
  })
  const { channels, groups } = await store.edits.editableCatalog()
  const [token] = await store.admin.tokens({ account: people.admin })
  const evil = await store.admin.account(`${tight}@evil.example`)
  return { rows, channels, groups, token, account, evil }
}

/** Every page, with what is planted in it. */
function pathsOf({
  rows,
  channels,
  groups,
  token,
  account,
  evil,
}: Awaited<ReturnType<typeof plant>>) {
  const requests = rows.map(({ requestId }) => requestId)
  const mine = [
    '',
    '/tokens',
    `/tokens/${token?.id}`,
    '/requests',
    '/balance',
    '/plaza',
    '/profile',
  ]
  const lists = ['channels', 'groups', 'prices', 'accounts', 'requests', 'attempts', 'availability']
  return [
    ...mine,
    ...requests.map((id) => `/requests/${id}`),
    // The newest: one that its upstream refused, and one whose model is a script.
    ...requests.slice(0, 2).map((id) => `/admin/requests/${id}`),
    ...['', ...lists.map((name) => `/${name}`), '/audit', '/settings', '/maintenance'].map(
      (path) => `/admin${path}`,
    ),
    ...channels.map(({ id }) => `/admin/channels/${id}`),
    ...groups.map(({ id }) => `/admin/groups/${id}`),
    ...[account.id, evil?.id].map((id) => `/admin/accounts/${id}`),
    ...['/sign-in', '/sign-up', `/sign-in?next=${encodeURIComponent(script)}`],
  ].map((path) => `/console${path}`)
}

describeInBrowser('hostile texts', () => {
  let scene: Scene
  let browser: TestBrowser
  let server: ReturnType<typeof Bun.serve>
  let planted: Awaited<ReturnType<typeof plant>>
  beforeAll(async () => {
    ;[scene, browser] = await Promise.all([start(), openBrowser()])
    planted = await plant(scene)
    server = serveScene(scene)
  })
  afterAll(async () => {
    await browser?.close()
    server?.stop(true)
    await scene?.stop()
  })

  /** A page on a phone, and all that went wrong there. */
  async function open(person: Person) {
    const context = await browser.newContext({
      ...{ locale: 'en-US', viewport: { width: 390, height: 844 } },
      extraHTTPHeaders: { 'x-test-person': people[person] },
    })
    const page = await context.newPage()
    const wrong: string[] = []
    page.on('pageerror', (error) => wrong.push(error.message))
    page.on('dialog', (dialog) => wrong.push(dialog.message()))
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
    await page.exposeFunction('hit', () => wrong.push('a text was run'))
    return { page, wrong, context }
  }

  /** Elements that only a text can have made, and links that would run. */
  const strangers = (page: Page) =>
    page.evaluate(`[
      ...document.querySelectorAll('img[src="x"], [onerror], [onload]'),
      ...[...document.querySelectorAll('body script:not([src])')].filter((one) => one.textContent !== ${JSON.stringify(copyScript)}),
      ...[...document.querySelectorAll('[href], [src], [action]')].filter((one) =>
        /^\\s*javascript:/i.test(one.getAttribute('href') ?? one.getAttribute('src') ?? one.getAttribute('action'))),
    ].map((one) => one.outerHTML)`)

  /** What of a page's address says which page it is; undefined: it is not one of who is signed in. */
  const kindOf = (path: string) =>
    /^\/console(?!\/sign-)/.test(path) ? path.replace(/[^/]*\d[^/]*$/, '$id') : undefined

  async function look(page: Page, path: string) {
    const before = kindOf(new URL(page.url()).pathname)
    // Two things of one kind have the same page.
    if (before && kindOf(path) && before !== kindOf(path)) await leadTo(page, path)
    else await page.goto(server.url.origin + path, { waitUntil: 'load' })
    await page.locator('h1').first().waitFor()
    await page.locator(coming).first().waitFor({ state: 'hidden' })
    expect([path, await strangers(page)]).toEqual([path, []])
    await expectToFit(page)
  }

  test('run on no page of the console', async () => {
    const paths = pathsOf(planted)
    /** Takes what a page looks at next: of another kind, where one is left, because that need not be loaded. */
    const take = (page: Page) => {
      const before = kindOf(new URL(page.url()).pathname)
      const other = paths.findLastIndex((path) => kindOf(path) !== before)
      return paths.splice(other, 1)[0]
    }
    const visit = async () => {
      const { page, wrong, context } = await open('admin')
      for (let path = take(page); path !== undefined; path = take(page)) await look(page, path)
      expect(wrong).toEqual([])
      await context.close()
    }
    await Promise.all([visit(), visit()])
    expect(paths).toEqual([])
  })

  test('nor where a model says them, whole or in a stream', async () => {
    const { page, wrong, context } = await open('admin')
    await page.goto(`${server.url.origin}/console/playground`)
    const { chat } = dialects
    const usage = { input: 1, output: 1 }
    const pieces = [...hostile].map((one) => chat.piece(one)).join('')
    for (const answer of [
      () => sseAnswer(chat.first(usage) + pieces + chat.last(usage)),
      () => sseAnswer(`${chat.first(usage)}data: ${hostile}\n\n`),
      () => Response.json({ error: { message: hostile, type: tight } }, { status: 400 }),
      () => new Response(hostile, { status: 500, headers: { 'content-type': 'text/html' } }),
    ]) {
      scene.upstream.handle(answer)
      await page.getByRole('combobox', { name: 'Model' }).fill(model)
      await page.keyboard.press('Escape')
      const answered = page.waitForResponse(/api\/v1\/playground/)
      await page.getByRole('button', { name: 'Ask' }).click()
      await answered
      await page.getByText('Ended after').waitFor()
      expect(await strangers(page)).toEqual([])
      await expectToFit(page)
      // By its key: on a phone the notice of the last time stands over it for 20 s.
      await page.getByRole('button', { name: 'Clear' }).press('Enter')
    }
    expect(wrong.filter((one) => !one.includes('status of'))).toEqual([])
    await context.close()
  })

  test('nor on the pages for everybody', async () => {
    const { page, wrong, context } = await open('other')
    for (const path of ['/', '/models', '/status', '/docs', '/docs/translation'])
      await look(page, path)
    expect(wrong).toEqual([])
    await context.close()
  })
})
