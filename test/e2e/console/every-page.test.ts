import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import {
  accessibilityProblems,
  describeInBrowser,
  expectToFit,
  leadTo,
} from '../../support/browser.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { type Look, signIn, startConsole } from './console-binary.ts'
import {
  ask,
  isData,
  livedIn,
  overdraw,
  owner,
  startMoodyUpstream,
  withoutData,
} from './lived-in.ts'
import { judgeOpened } from './opened.ts'

/** Every page, as the router names it, with something to see there; words like `FAILED` are requests' ids. */
const addresses: Readonly<Record<string, readonly string[]>> = {
  '/': ['/'],
  '/tokens': ['/tokens'],
  '/tokens/$id': ['/tokens/2'],
  '/requests': ['/requests?outcome=failed'],
  '/requests/$id': ['/requests/ANSWERED', '/requests/COUNTED'],
  '/balance': ['/balance'],
  '/plaza': ['/plaza'],
  '/playground': ['/playground'],
  '/profile': ['/profile'],
  '/admin': ['/admin'],
  '/admin/start': ['/admin/start', '/admin/start?step=vendor'],
  '/admin/channels': ['/admin/channels'],
  '/admin/channels/$id': ['/admin/channels/1', '/admin/channels/new'],
  '/admin/groups': ['/admin/groups'],
  '/admin/groups/$id': ['/admin/groups/2', '/admin/groups/new'],
  '/admin/prices': ['/admin/prices'],
  '/admin/accounts': ['/admin/accounts', '/admin/accounts?balance=overdrawn'],
  '/admin/accounts/$id': ['/admin/accounts/2', '/admin/accounts/3'],
  '/admin/requests': ['/admin/requests', '/admin/requests?cause=model_not_found'],
  '/admin/requests/$id': ['/admin/requests/FAILED'],
  '/admin/attempts': ['/admin/attempts'],
  '/admin/availability': ['/admin/availability'],
  '/admin/audit': ['/admin/audit'],
  '/admin/settings': ['/admin/settings'],
  '/admin/nodes': ['/admin/nodes'],
  '/admin/maintenance': ['/admin/maintenance'],
  '/sign-in': ['/sign-in'],
  '/sign-up': ['/sign-up'],
  '/setup': ['/setup'],
}

const router = readFileSync(join(import.meta.dir, '../../../src/console/router.tsx'), 'utf8')
/** All but the page of parts, which a development build alone has. */
const inside = [...router.matchAll(/\bpage\('(\/[^_'][^']*|\/)'/g)].map(([, path]) => path ?? '')
/** Pages that need no session. */
const paths = [...inside, '/sign-in', '/sign-up', '/setup']

test('no page of the router is left out', () => {
  expect(paths.length).toBeGreaterThan(20)
  expect(Object.keys(addresses)).toEqual(paths)
})

const looks = [
  { locale: 'en-US', colorScheme: 'light', width: 1280 },
  { locale: 'zh-CN', colorScheme: 'dark', width: 390 },
] as const satisfies readonly Look[]

/**
 * What people read or hear of a page: texts, and names of what has none. Left out: code, what is
 * said to be in another language, and what is written in fields.
 */
const readWords = `(() => {
  const skipped = 'pre, code, script, noscript, style, textarea, body [lang]'
  const words = new Set()
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest(skipped)) continue
    for (const name of ['aria-label', 'placeholder', 'title', 'alt']) words.add(element.getAttribute(name) ?? '')
    for (const node of element.childNodes) if (node.nodeType === 3) words.add(node.data.trim())
  }
  return [...words].filter((text) => text !== '')
})()`

/** Captions of tables that go on beyond what is around them: their last column would not be seen. */
const cutTables = `[...document.querySelectorAll('table')]
  .filter((table) => table.offsetWidth > table.parentElement.clientWidth + 1)
  .map((table) => table.caption?.textContent)`

/** Cells of lists with more than they have room for: it would lie on what is beside them. */
const overfullCells = `[...document.querySelectorAll('.list td')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
  .map((cell) => cell.textContent)`

const waiting = '[aria-busy=true], .mantine-Skeleton-root, .mantine-Loader-root'

describeInBrowser('every page', () => {
  const upstream = startMoodyUpstream()
  let scene: Awaited<ReturnType<typeof startConsole>>
  let visits: readonly { readonly page: Page; readonly errors: readonly string[] }[] = []
  const ids = { ANSWERED: '', COUNTED: '', FAILED: '' }

  beforeAll(async () => {
    const options = livedIn(upstream.url)
    scene = await startConsole((listen) => tollgateYaml({ ...options, listen }))
    const [, first] = await Promise.all([
      ask(scene.gateway.url).then(() => overdraw(scene.gateway.cwd)),
      scene.visit('/console/sign-in', looks[0]),
    ])
    await signIn(first.page, owner, 'Sign in')
    const cookies = await first.context.cookies()
    const second = await scene.visit('/console/sign-in', looks[1])
    await second.context.addCookies(cookies)
    visits = [first, second]
    for (const { page } of visits) await page.emulateMedia({ reducedMotion: 'reduce' })
    const { data } = await (
      await first.page.request.get(`${scene.gateway.url}/api/v1/requests`)
    ).json()
    const items: readonly {
      readonly request_id: string
      readonly cause: string | null
      readonly model: string
    }[] = data.items
    ids.ANSWERED = items.find(({ cause }) => cause === null)?.request_id ?? ''
    ids.COUNTED = items.find(({ model }) => model.startsWith('claude-'))?.request_id ?? ''
    ids.FAILED = items.find(({ cause }) => cause !== null)?.request_id ?? ''
  })
  afterAll(async () => {
    await scene.stop()
    await upstream.stop()
  })

  /** What surrounds every page, and is a third of what axe has to do there. */
  const frame = ['.frame > header', '.frame > nav']
  /** Where it was judged. */
  const judged = new Set<Page>()

  /** The pages that were led somewhere, and the page of the router that they showed last. */
  const shown = new Map<Page, string>()

  /** Leads a page to an address: as a link does, or by loading it, which takes four times as long. */
  async function goTo(page: Page, path: string, address: string): Promise<void> {
    const before = shown.get(page) ?? ''
    // Pages outside are another document.
    if (inside.includes(path) && inside.includes(before)) {
      // Two addresses of one page may have the same heading: another page shows between them.
      if (before === path) await leadTo(page, '/console/profile')
      await leadTo(page, address)
    } else await page.goto(scene.gateway.url + address)
    shown.set(page, path)
    await page.locator('h1').first().waitFor()
  }

  /** Opens a page in a look, checks what holds of each, and returns what is to be read there. */
  async function look(at: number, route: string, address: string): Promise<readonly string[]> {
    const visit = visits[at]
    if (!visit) throw new Error('Nobody has signed in.')
    const { page, errors } = visit
    const path = address.replace(/ANSWERED|COUNTED|FAILED/, (name) => ids[name as keyof typeof ids])
    await goTo(page, route, `/console${path}`)
    await page.locator(waiting).first().waitFor({ state: 'detached' })
    const known = !judged.has(page) ? [] : frame
    expect(await accessibilityProblems(page, 'html', known)).toEqual([])
    if (inside.includes(route)) judged.add(page)
    await expectToFit(page)
    expect(await page.evaluate(cutTables)).toEqual([])
    expect(await page.evaluate(overfullCells)).toEqual([])
    expect(errors).toEqual([])
    const heading = (await page.locator('h1').first().textContent()) ?? ''
    expect(await page.title()).toContain(heading)
    return (await page.evaluate(readWords)) as readonly string[]
  }

  /** Dialogs and menus that were opened on a page before. */
  const opened = new Set<string>()

  describe.each(paths)('%s', (path) => {
    test.each(addresses[path] ?? [])(
      '%s fits, is silent and is in one language',
      async (address) => {
        const [english, chinese] = await Promise.all([
          look(0, path, address),
          look(1, path, address),
        ])
        expect(english.filter((text) => /\p{Script=Han}/u.test(withoutData(text)))).toEqual([])
        // What reads the same in both languages is a name, or was forgotten.
        const both = english.filter((text) => chinese.includes(text) && /[A-Za-z]{2}/.test(text))
        expect(both.filter((text) => !isData(text))).toEqual([])
        // A sentence may also be made of pieces; no name has four words of small letters.
        const sentence = /[a-z]+(?: [a-z]+){3}/
        expect(chinese.filter((text) => sentence.test(withoutData(text)))).toEqual([])
        const [first] = visits
        if (first) expect(await judgeOpened(first.page, opened)).toEqual([])
      },
    )
  })

  test('many dialogs and menus were among what was opened', () => {
    expect([...opened].filter((one) => one.startsWith('dialog ')).length).toBeGreaterThan(10)
    expect([...opened].filter((one) => one.startsWith('menu ')).length).toBeGreaterThan(2)
  })

  test.each([
    ['/sign-in', 50_000, 120_000],
    ['/', 150_000, 250_000],
    ['/admin', 150_000, 250_000],
    ['/admin/start', 150_000, 250_000],
    ['/tokens?create=1', 150_000, 250_000],
  ])('the first load of %s is over %d and under %d bytes', async (path, least, most) => {
    const { page, context } = await scene.visit('/console/assets/none', looks[0])
    await context.addCookies((await visits[0]?.page.context().cookies()) ?? [])
    await page.goto(`${scene.gateway.url}/console${path}`)
    await page.locator('h1').first().waitFor()
    await page.locator(waiting).first().waitFor({ state: 'detached' })
    if (path.includes('create')) await page.getByRole('dialog').getByLabel('Models').waitFor()
    const sizes = (await page.evaluate(
      `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(({ transferSize }) => transferSize)`,
    )) as readonly number[]
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    // Less would mean that something was in the cache, and was not counted.
    expect(bytes).toBeGreaterThan(least)
    expect(bytes).toBeLessThan(most)
    await context.close()
  })

  test('a link leads back to its filters after signing in; language and dark mode stay', async () => {
    const { page, context } = await scene.visit(
      '/console/admin/requests?outcome=failed&model=gpt-4',
      looks[0],
    )
    await signIn(page, owner, 'Sign in')
    await page.getByRole('heading', { name: 'All requests' }).waitFor()
    const { pathname, searchParams } = new URL(page.url())
    expect([pathname, searchParams.get('outcome'), searchParams.get('model')]).toEqual([
      ...['/console/admin/requests', 'failed', 'gpt-4'],
    ])
    const menu = page.getByRole('button', { name: /^(EN|中) · / })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await menu.click()
    await page.getByRole('menuitem', { name: '简体中文' }).click()
    await page.reload()
    await page.getByRole('heading', { name: '全部请求' }).waitFor()
    const root = page.locator('html')
    expect(await root.getAttribute('lang')).toBe('zh-CN')
    expect(await root.getAttribute('data-mantine-color-scheme')).toBe('dark')
    await menu.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: '深色' }).waitFor()
    // Whoever presses a key sees where it goes: first the menu has the focus.
    await page.locator('[role=menu]:focus, [role=menu] :focus').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    await page.locator('button[aria-haspopup=menu]:focus').waitFor()
    await context.close()
  })
})
