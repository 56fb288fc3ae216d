import { describe, expect } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'

/** Debian's Chromium: where it is installed without its windows, for that takes half of a processor's time. */
const places = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium']
const program = process.env.CHROMIUM ?? places.find(existsSync) ?? ''
const hasBrowser = existsSync(program)

if (!hasBrowser) {
  const message = `No Chromium at ${places.join(' or ')}: tests in a browser do not run (CHROMIUM names another).`
  if (process.env.CI === 'true') throw new Error(message)
  console.warn(message)
}

/** `describe` for tests that need a browser: skipped where there is none. In CI there must be one. */
export const describeInBrowser = hasBrowser ? describe : describe.skip

/** The one browser of this process: to start another takes as long as to look at a page. */
let running: Promise<Browser> | undefined

const launch = () =>
  chromium.launch({
    executablePath: program,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  })

/** A browser without a window, with nothing in it. Close it. */
export interface TestBrowser {
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A page in a context of its own. */
  newPage(options?: BrowserContextOptions): Promise<Page>
  close(): Promise<void>
}

/** Lends the browser of this process, which looks for nothing but what a test opens. */
export async function openBrowser(): Promise<TestBrowser> {
  if (!(await running)?.isConnected()) running = launch()
  const browser = await running
  if (!browser) throw new Error('No browser was started.')
  const contexts: BrowserContext[] = []
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext(options)
    contexts.push(context)
    return context
  }
  return {
    newContext,
    async newPage(options) {
      const context = await newContext(options)
      const page = await context.newPage()
      page.once('close', () => void context.close())
      return page
    },
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()))
    },
  }
}

/**
 * Leads a page that shows the console to another of its pages, as a link does: it is there with its own heading. To
 * load the console anew takes twice as long.
 */
export async function leadTo(page: Page, path: string): Promise<void> {
  const left = await page.locator('h1').first().elementHandle()
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
  await left?.waitForElementState('hidden')
  await page.locator('h1').first().waitFor()
}

const axe = readFileSync(join(import.meta.dir, '../../node_modules/axe-core/axe.min.js'), 'utf8')

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/**
 * What of a page, or of what a selector finds in it, people with disabilities can't use, as axe finds it; one line
 * for each. `known`: what is left out, because it was judged before.
 */
export async function accessibilityProblems(
  page: Page,
  selector = 'html',
  known: readonly string[] = [],
): Promise<string[]> {
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(axe)
  const judged = { include: [[selector]], exclude: known.map((one) => [one]) }
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(judged)}, { resultTypes: ['violations'] })`,
  )) as AxeResult
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`,
  )
}

/** Notes what a page complains about in its console: errors, and what its policy forbade. */
export function watchErrors(page: Page): readonly string[] {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  return errors
}

/** Fails when a page is wider than its window: then a phone would scroll sideways. */
export async function expectToFit(page: Page): Promise<void> {
  const [width, room] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number]
  expect(`${page.url()}: ${width > room + 1 ? `${width} wide in ${room}` : 'fits'}`).toEndWith(
    'fits',
  )
}
