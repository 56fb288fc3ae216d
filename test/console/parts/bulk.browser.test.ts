import { afterAll, beforeAll, expect, test } from 'bun:test'
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
    await bar.getByRole('button', { name: 'Disable' }).click()
    const question = page.getByRole('dialog', { name: 'Disable 2 channels?' })
    await question.getByText('one, two. Nothing is sent to them').waitFor()
    await question.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('2 channels are disabled.').waitFor()
    expect(await disabled()).toEqual(['one', 'two'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await bar.waitFor({ state: 'hidden' })
    await page.getByText('Disabled', { exact: true }).first().waitFor({ state: 'hidden' })
    expect(await disabled()).toEqual([])
    await page.close()
  })

  test('that fail are listed with the reason, and stay chosen', async () => {
    const page = await pages.open('admin', '/admin/channels')
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
    await page.close()
  })
})
