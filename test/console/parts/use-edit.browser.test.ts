import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { until } from '../../e2e/until.ts'
import { describeInBrowser } from '../../support/browser.ts'
import { comeBackTo, press, pressTwice, startConsolePages } from '../../support/console-pages.ts'

// What two people do to one thing at the same time, in a real browser.

describeInBrowser('a form whose thing another person changes meanwhile', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
  })
  afterAll(() => pages?.stop())

  /** What is on record of the first group or channel. */
  const read = async (list: string) =>
    (await pages.scene.ask('admin', 'GET', `/api/v1/admin/${list}/1`)).data
  /** What another person saves. */
  const save = async (list: string, change: object) =>
    expect(
      await pages.scene.ask('admin', 'PATCH', `/api/v1/admin/${list}/1`, change),
    ).toMatchObject({ status: 200 })
  const saved = (page: Page) => page.getByText('It applies from the next request on').waitFor()

  test('keeps theirs when a group is disabled, then saved', async () => {
    await save('groups', { rate_multiplier: '1' })
    const page = await pages.open('admin', '/admin/groups/1')
    await page.getByLabel('Description').fill('half typed')
    await save('groups', { rate_multiplier: '1.5' })
    await pressTwice(page, 'Disable')
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    expect(await page.getByLabel('Multiplier').inputValue()).toBe('1.5')
    expect(await page.getByLabel('Description').inputValue()).toBe('half typed')
    await press(page, 'Save')
    await saved(page)
    expect(await read('groups')).toMatchObject({
      ...{ rate_multiplier: '1.5', description: 'half typed', status: 'disabled' },
    })
    await press(page, 'Enable')
    await page.getByRole('button', { name: 'Disable' }).waitFor()
  })

  test('keeps theirs when a channel is drained, one limit beside another', async () => {
    const page = await pages.open('admin', '/admin/channels/1')
    await page.getByLabel('Requests a minute').fill('60')
    await save('channels', { weight: 7, limits: { concurrency: 4 } })
    await pressTwice(page, 'Drain')
    await page.getByRole('button', { name: 'Activate' }).waitFor()
    await press(page, 'Save')
    await saved(page)
    expect(await read('channels')).toMatchObject({
      ...{ weight: 7, status: 'draining', limits: { rpm: 60, tpm: null, concurrency: 4 } },
    })
    await press(page, 'Activate')
    await page.getByRole('button', { name: 'Drain' }).waitFor()
  })

  test('asks when both changed one field, and keeps the rest of theirs', async () => {
    await save('groups', { rate_multiplier: '1', platform: 'old' })
    const page = await pages.open('admin', '/admin/groups/1')
    await page.getByLabel('Multiplier').fill('2')
    await save('groups', { rate_multiplier: '1.5', platform: 'new', limits: { rpm: 9 } })
    await pressTwice(page, 'Disable')
    await page.getByText('Multiplier: 1 → 1.5').waitFor()
    expect(await page.getByLabel('Multiplier').inputValue()).toBe('2')
    await press(page, 'Keep mine')
    await saved(page)
    expect(await read('groups')).toMatchObject({
      ...{ rate_multiplier: '2', platform: 'new', status: 'disabled' },
      limits: { rpm: 9, tpm: null, concurrency: null },
    })
    expect(await page.getByLabel('Requests a minute').inputValue()).toBe('9')
  })

  test('knows what is typed, whatever was put back beside it', async () => {
    const page = await pages.open('admin', '/admin/channels/1')
    await page.getByLabel('Requests a minute').fill('61')
    await pressTwice(page, 'Drain')
    await page.getByRole('button', { name: 'Activate' }).waitFor()
    const weight = await page.getByLabel('Weight').inputValue()
    await page.getByLabel('Weight').fill('9')
    await page.getByLabel('Weight').fill(weight)
    await press(page, 'Save')
    await saved(page)
    expect(await read('channels')).toMatchObject({ limits: { rpm: 61 } })
    await press(page, 'Activate')
    await page.getByRole('button', { name: 'Drain' }).waitFor()
  })

  test('keeps what is typed while it is saved', async () => {
    const page = await pages.open('admin', '/admin/groups/1')
    const sent = Promise.withResolvers<void>()
    const typed = Promise.withResolvers<void>()
    await page.route('**/api/v1/admin/groups/1', async (route) => {
      if (route.request().method() === 'PATCH') {
        sent.resolve()
        await typed.promise
      }
      await route.continue()
    })
    await page.getByLabel('Description').fill('sent')
    await press(page, 'Save')
    await sent.promise
    await page.getByLabel('Description').fill('typed since')
    typed.resolve()
    await saved(page)
    expect(await page.getByLabel('Description').inputValue()).toBe('typed since')
    expect(await read('groups')).toMatchObject({ description: 'sent' })
    await press(page, 'Save')
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'hidden' })
    expect(await read('groups')).toMatchObject({ description: 'typed since' })
  })

  test('shows the present state when what is typed is discarded', async () => {
    const page = await pages.open('admin', '/admin/groups/1')
    await page.getByLabel('Description').fill('half typed')
    await save('groups', { rate_multiplier: '1.25', description: 'of another' })
    const asked = page.waitForResponse((answer) => answer.url().endsWith('/admin/groups/1'))
    await comeBackTo(page)
    await asked
    await press(page, 'Discard changes')
    await until('the present state', async () => {
      return (await page.getByLabel('Description').inputValue()) === 'of another'
    })
  })
})
