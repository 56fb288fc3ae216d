import type { Page } from 'playwright-core'
import { startBinary } from '../../support/binary.ts'
import { openBrowser, watchErrors } from '../../support/browser.ts'

/** An account that a test makes. */
export interface Entry {
  readonly email: string
  readonly password: string
}

/** How a browser looks at the console. */
export interface Look {
  readonly locale?: 'en-US' | 'zh-CN'
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
}

/** The compiled gateway with nothing in it, and a browser to look at its console. */
export async function startConsole(config: (listen: string) => string) {
  const gateway = await startBinary({ config })
  const browser = await openBrowser()

  return {
    gateway,
    /** A page of its own, with cookies of its own; `errors` are what its console complained of. */
    async visit(
      path: string,
      { locale = 'en-US', colorScheme = 'light', width = 1280 }: Look = {},
    ) {
      const context = await browser.newContext({
        ...{ locale, colorScheme, viewport: { width, height: 800 } },
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      context.setDefaultTimeout(60_000)
      const page = await context.newPage()
      const errors = watchErrors(page)
      await page.goto(gateway.url + path)
      return { page, errors, context }
    },
    /** The one-time link that the log shows at the first start. */
    setupPath(): string {
      const said = [...gateway.stdout, ...gateway.stderr].join('\n')
      return /\/console\/setup\?code=\w+/.exec(said)?.[0] ?? ''
    },
    async stop() {
      await browser.close()
      await gateway.stop()
    },
  }
}

/** The administrator of a console that `setUp` has made. */
export const administrator: Entry = { email: 'boss@example.com', password: 'a long password' }

type Console = Awaited<ReturnType<typeof startConsole>>

/** Makes the administrator by the link of the first start; the page is theirs. */
export async function setUp(console: Console) {
  const visit = await console.visit(console.setupPath())
  await enterNewAccount(visit.page, administrator, 'Create administrator')
  await visit.page.getByRole('heading', { name: 'First answer in three steps' }).waitFor()
  return visit
}

/** Follows a link of the menu, whose page has its name; the page before may show what the test clicks next. */
export async function follow(page: Page, name: string) {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
}

/** Fills the form of a new account and sends it by a button of this name. */
export async function enterNewAccount(page: Page, { email, password }: Entry, button: string) {
  // The page before may have a form with such fields, too.
  await page.getByRole('button', { name: button }).waitFor()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel(/^Password(?! again)/).fill(password)
  await page.getByLabel('Password again').fill(password)
  await page.getByRole('button', { name: button }).click()
}

/** Fills the form of who has an account and sends it; the page of the overview is there afterwards. */
export async function signIn(page: Page, { email, password }: Entry, button: string) {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').first().fill(password)
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('navigation').waitFor()
}
