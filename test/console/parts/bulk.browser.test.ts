import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { accessibilityProblems, describeInBrowser } from '../../support/browser.ts'
import { startConsolePages } from '../../support/console-pages.ts'
import { speaksAt } from '../../support/tollgate-yaml.ts'

describeInBrowser('chosen items of a list', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  const channel = (name: string) => ({
    ...{ name, api_key: 'x', models: ['a-model'], allow_private: true },
    speaks: speaksAt('http://127.0.0.1:9', ['chat']),
  })
  beforeAll(async () => {
    pages = await startConsolePages({ moreChannels: [channel('one'), channel('two')] })
  })
  afterAll(() => pages?.stop())

  const focusIsAt = (place: Locator) => place.and(place.page().locator(':focus')).waitFor()
  const disabled = async () => {
    const path = '/api/v1/admin/channels?state=disabled'
    const { data } = await pages.scene.ask('admin', 'GET', path)
    return (data.items as readonly { name: string }[]).map(({ name }) => name)
  }

  test('are chosen by keys, changed together after a question, and changed back', async () => {
    const page = await pages.open('admin', '/admin/channels')
    await page.getByLabel('Choose one').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    const bar = page.getByRole('region', { name: 'Chosen items' })
    await bar.getByText('2 chosen').waitFor()
    const disable = bar.getByRole('button', { name: 'Disable' })
    const code = Promise.withResolvers<void>()
    await page.route('**/assets/*.js', async (route) => {
      await code.promise
      await route.continue()
    })
    await disable.press('Enter')
    const question = page.getByRole('dialog', { name: 'Disable 2 channels?' })
    // Pressed twice before its code is there, it is asked once.
    await disable.press('Enter')
    code.resolve()
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'hidden' })
    await focusIsAt(disable)
    await disable.press('Enter')
    await question.getByText('one, two. From now on nothing is sent there').waitFor()
    await question.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('2 channels are disabled.').waitFor()
    expect(await disabled()).toEqual(['one', 'two'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await bar.waitFor({ state: 'hidden' })
    await page.getByText('Disabled', { exact: true }).first().waitFor({ state: 'hidden' })
    expect(await disabled()).toEqual([])
  })

  test('are sorted by the head of a column, by keys, and stay so on the way back', async () => {
    const page = await pages.open('admin', '/admin/channels')
    const names = async () => {
      const texts = await page.locator('tbody td:nth-child(2) a').allTextContents()
      return texts.join(' ')
    }
    const head = page.getByRole('columnheader', { name: 'Name' })
    await head.getByRole('button').focus()
    expect([await head.getAttribute('aria-sort'), await names()]).toEqual(['none', 'main one two'])
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByRole('row').nth(1).getByRole('link', { name: 'two' }).waitFor()
    expect(await head.getAttribute('aria-sort')).toBe('descending')
    expect(await names()).toBe('two one main')
    expect(new URL(page.url()).search).toBe('?sort=-name')
    await page.getByRole('link', { name: 'one' }).click()
    await page.getByRole('heading', { name: 'one', level: 1 }).waitFor()
    await page.goBack()
    await page.getByRole('row').nth(1).getByRole('link', { name: 'two' }).waitFor()
    await head.getByRole('button').click()
    await page.waitForURL((url) => url.search === '')
    await page.getByRole('row').nth(1).getByRole('link', { name: 'main' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByLabel('Sort by').selectOption('Name ↓')
    await page.waitForURL((url) => url.search === '?sort=-name')
    // Two changes at once: a filter is left as the order is pressed.
    await page.getByLabel('Model').fill('a-model')
    await page.evaluate("document.activeElement.blur(); document.querySelector('.sort').click()")
    await page.waitForURL((url) => url.search === '?model=a-model')
    // Each list of a page has an order of its own.
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(page.url().replace(/channels.*/, 'prices?sort=-model'))
    const models = page.getByRole('columnheader', { name: 'Model' })
    await models.and(page.locator('[aria-sort=descending]')).waitFor()
    await page.getByRole('tab', { name: 'Price feed' }).click()
    await models.and(page.locator('[aria-sort=none]')).getByRole('button').click()
    await page.waitForURL(/\?sort=-model&tab=feed&feed-sort=model$/)
    await page.getByRole('tab', { name: 'Models' }).click()
    await models.and(page.locator('[aria-sort=descending]')).waitFor()
  })

  test('that fail are listed with the reason, and stay chosen', async () => {
    const page = await pages.open('admin', '/admin/channels')
    // Alone, too: the button rests meanwhile, and has the focus again.
    const testOne = page.getByRole('button', { name: 'Test one' })
    await testOne.press('Enter')
    await page.getByText('No connection was made').waitFor()
    await focusIsAt(testOne)
    await page.getByRole('checkbox', { name: 'Choose all on this page' }).click()
    const bar = page.getByRole('region', { name: 'Chosen items' })
    await bar.getByRole('button', { name: 'Test' }).click()
    const failures = bar.getByRole('alert')
    await failures.getByText('two', { exact: true }).waitFor()
    await failures.getByText('No connection was made').first().waitFor()
    await bar.getByText('2 chosen').waitFor()
    expect(await page.getByLabel('Choose main').isChecked()).toBe(false)
    await page.getByText(/^Works, /).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  })
})
