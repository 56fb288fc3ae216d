import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../../support/browser.ts'
import { press, startConsolePages } from '../../../support/console-pages.ts'

// The price of a model that another administrator changes meanwhile, in a real browser.

const path = '/api/v1/admin/prices/test-model'
type Terms = { input?: string; output?: string; tiers?: readonly unknown[] }

describeInBrowser('the form of a price', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
  })
  afterAll(() => pages?.stop())

  const read = async () => {
    const { data } = await pages.scene.ask('admin', 'GET', path)
    return data.price as { id: number; terms: Terms; note: string }
  }
  /** What another administrator saves. */
  async function save(price: object) {
    const { id } = await read()
    const answer = await pages.scene.ask('admin', 'PUT', path, { ...price, replaces: id })
    expect(answer).toMatchObject({ status: 200 })
  }
  const open = async () => {
    const page = await pages.open('admin', '/admin/prices?model=test-model')
    await input(page).waitFor()
    return page
  }
  const input = (page: Page) => page.locator('[data-path="input"]')
  const output = (page: Page) => page.locator('[data-path="output"]')
  const tiers = [{ above: 200_000, input: '2', output: '10' }]
  beforeEach(() => save({ input: '1', output: '5', tiers, note: '' }))

  test('keeps what is typed when another has set it, and mixes nothing of the two', async () => {
    const page = await open()
    await input(page).fill('3')
    await save({ input: '1', output: '7', tiers: [] })
    await press(page, 'Set this price')
    await page.getByText('Output: 5 → 7').waitFor()
    expect(await input(page).inputValue()).toBe('3')
    await press(page, 'Keep mine')
    await page.getByText('The price of test-model is set.').waitFor()
    const { terms } = await read()
    expect(terms).toMatchObject({ input: '3', output: '5' })
    expect(terms.tiers).toHaveLength(1)
  })

  test('prices of tools, service tiers and sound are shown, kept and changed', async () => {
    const extras = { tools: { web_search: '10', mcp: 'free' }, service_tiers: { flex: '0.5' } }
    await save({ input: '1', output: '5', others: { input_audio: '32' }, ...extras })
    const page = await open()
    const field = (name: string) => page.locator(`[data-path="${name}"]`)
    expect(await field('tools').inputValue()).toBe('mcp=free, web_search=10')
    await input(page).fill('2')
    await field('others').fill('input_audio=32, output_audio=64')
    await press(page, 'Set this price')
    await page.getByText('The price of test-model is set.').waitFor()
    const { terms } = await read()
    expect(terms).toMatchObject({
      ...{ input: '2', others: { input_audio: '32', output_audio: '64' } },
      ...extras,
    })
    await field('tools').fill('web_search=cheap')
    await press(page, 'Set this price')
    await page.locator('[data-path="tools"][aria-invalid="true"]').waitFor()
  })

  test('saves what it shows over theirs when asked to, though nothing was typed', async () => {
    const page = await open()
    await save({ input: '1', output: '7', tiers: [] })
    await press(page, 'Set this price')
    await page.getByText('Output: 5 → 7').waitFor()
    await press(page, 'Keep mine')
    await page.getByText('The price of test-model is set.').waitFor()
    expect((await read()).terms).toMatchObject({ input: '1', output: '5' })
  })

  test('takes theirs when asked to', async () => {
    const page = await open()
    await input(page).fill('3')
    await save({ input: '1', output: '7', tiers: [] })
    await press(page, 'Set this price')
    await press(page, 'Take theirs')
    await page.getByText('Somebody else').waitFor({ state: 'hidden' })
    expect([await input(page).inputValue(), await output(page).inputValue()]).toEqual(['1', '7'])
    expect(await page.getByLabel('Above (tokens)').count()).toBe(0)
  })

  test('keeps what is typed while its history is looked at', async () => {
    const page = await open()
    await input(page).fill('3')
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('in force').waitFor()
    await page.getByRole('tab', { name: 'Set price' }).click()
    expect(await input(page).inputValue()).toBe('3')
  })

  test('shows what was before once it is undone', async () => {
    const page = await open()
    await input(page).fill('3')
    await press(page, 'Set this price')
    await press(page, 'Undo')
    await page.locator('[data-path="input"][value="1"]').waitFor()
    expect((await read()).terms).toMatchObject({ input: '1', output: '5' })
  })

  test('says why it can not be undone, whatever the reason', async () => {
    const page = await open()
    await input(page).fill('3')
    await press(page, 'Set this price')
    await page.getByText('The price of test-model is set.').waitFor()
    const refusal = { code: 503, message: 'No database.', reason: 'unavailable' }
    await page.route(`**${path}`, (route) => route.fulfill({ status: 503, json: refusal }))
    await press(page, 'Undo')
    await page.getByText('No database.').waitFor()
  })
})
