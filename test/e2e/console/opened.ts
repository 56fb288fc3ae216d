import type { Locator, Page } from 'playwright-core'
import { accessibilityProblems } from '../../support/browser.ts'
import { withoutData } from './lived-in.ts'

/** What says that it opens something, and can be pressed. */
const openers = ['dialog', 'menu']
  .map((kind) => `[aria-haspopup=${kind}]:visible:not(:disabled, [data-disabled])`)
  .join()
const roles = '[role=dialog], [role=menu]'
const opened = roles.replaceAll(']', ']:visible')

/** A function that runs in the page. */
const inPage = (parameter: string, body: string) =>
  new Function(parameter, body) as (given: unknown) => unknown

/** What each opener opens, and its name. */
const kindsAndNames = inPage(
  'elements',
  `return elements.map((element) => [
    element.getAttribute('aria-haspopup'),
    element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent,
  ])`,
)

/**
 * Opens every dialog and menu that a page opens, each once (`seen`), judges it by axe, and closes it by
 * Escape. Gives what is wrong, a line for each.
 */
export async function judgeOpened(page: Page, seen: Set<string>): Promise<readonly string[]> {
  await chooseFirst(page)
  return judgeWithin(page, page.locator('body'), seen)
}

async function judgeWithin(page: Page, place: Locator, seen: Set<string>): Promise<string[]> {
  const found = place.locator(openers)
  const all = (await found.evaluateAll(kindsAndNames)) as readonly string[][]
  const wrong: string[] = []
  for (const [at, [kind = '', name = '']] of all.entries()) {
    const id = `${kind} ${withoutData(name).trim() || new URL(page.url()).pathname}`
    if (seen.has(id)) continue
    seen.add(id)
    const opener = found.nth(at)
    await opener.click()
    const last = page.locator(opened).last()
    await last.waitFor()
    // What is opened later comes behind it, so the element itself is kept.
    const open = await last.elementHandle()
    const problems = await accessibilityProblems(page, roles)
    const inner = page.locator('[role=dialog]:visible').last()
    if (kind === 'dialog') problems.push(...(await judgeWithin(page, inner, seen)))
    await page.keyboard.press('Escape')
    await open?.waitForElementState('hidden')
    wrong.push(...problems.map((problem) => `${id}: ${problem}`))
  }
  return wrong
}

/** Of a list with bulk actions: they show when something is chosen. */
async function chooseFirst(page: Page): Promise<void> {
  const boxes = page.locator('tbody').getByRole('checkbox', { name: /^(?:Choose|选择) / })
  if ((await boxes.count()) > 0) await boxes.first().check()
}
