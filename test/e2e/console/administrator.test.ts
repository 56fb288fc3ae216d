import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { startDemoUpstream } from '../../../src/app/demo/upstream.ts'
import { describeInBrowser } from '../../support/browser.ts'
import { testStore } from '../../support/test-store.ts'
import { administrator, follow, setUp, startConsole } from './console-binary.ts'

// What a self-hoster does after the first start, in the order in which they do it.

describeInBrowser('an administrator', () => {
  const upstream = startDemoUpstream({ paceMs: 1 })
  let scene: Awaited<ReturnType<typeof startConsole>>
  let page: Page
  let errors: readonly string[] = []
  let key = ''

  beforeAll(async () => {
    scene = await startConsole(
      (listen) => `server: { listen: "${listen}" }\nstore: "${testStore}"\n`,
    )
  })
  afterAll(async () => {
    await scene.stop()
    await upstream.stop()
  })

  const sdk = () => new OpenAI({ baseURL: `${scene.gateway.url}/v1`, apiKey: key, maxRetries: 0 })
  const ask = async (model: string) => {
    const messages = [{ role: 'user' as const, content: 'Hello' }]
    return await sdk().chat.completions.create({ model, messages })
  }

  test('begins with the link of the first start', async () => {
    ;({ page, errors } = await setUp(scene))
    await page.getByRole('button', { name: 'Fetch models' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await follow(page, 'Gateway')
    await page.getByRole('link', { name: /Add a channel/ }).waitFor()
  })

  test('adds a channel, and tests it before it is saved', async () => {
    await follow(page, 'Channels')
    await page.getByRole('link', { name: 'Add channel' }).first().click()
    await page.getByLabel('Name').fill('main')
    await page.getByLabel(/^Chat Completions/).fill(`${upstream.url}/v1`)
    await page.getByLabel('API keys').fill('upstream-key-1')
    await page.getByLabel(/^Models/).fill('house-llm')
    await page.getByText('Timeouts, probe, proxy').click()
    await page.getByLabel('Its address may be local').check()
    await page.getByRole('button', { name: 'Send test request' }).click()
    await page.getByText('It works').waitFor()
    await page.getByRole('button', { name: 'Add channel' }).click()
    await page.getByText('Channel main is added').waitFor()
  })

  test('makes a group of it', async () => {
    await follow(page, 'Groups')
    await page.getByRole('link', { name: 'Add group' }).first().click()
    await page.getByLabel('Name').fill('default')
    await page.getByLabel('Multiplier').fill('2')
    await page.getByRole('combobox', { name: 'Channels' }).click()
    await page.getByRole('option', { name: 'main' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add group' }).click()
    await page.getByText('Group default is added').waitFor()
    await page.getByText('Without a price').waitFor()
  })

  test('sets a price', async () => {
    await follow(page, 'Prices')
    await page.getByText('house-llm').first().click()
    await page.getByLabel('Input').fill('1.5')
    await page.getByLabel('Output').fill('6')
    await page.getByRole('button', { name: 'Set this price' }).click()
    await page.getByRole('row').filter({ hasText: '1.50' }).filter({ hasText: '6.00' }).waitFor()
  })

  test('tops up an account, once for a double click', async () => {
    await page.goto(`${scene.gateway.url}/console/admin/accounts`)
    await page.getByRole('link', { name: administrator.email }).click()
    await page.getByLabel('Amount (USD)').fill('5')
    await page.getByLabel('Reason').fill('first money')
    await page.getByRole('button', { name: 'Top up' }).dblclick()
    await page.getByText('The balance is $5.00').first().waitFor()
    await page.reload()
    await page.getByText('first money').waitFor()
    expect(await page.getByText('first money').count()).toBe(1)
  })

  test('makes a token, whose key is shown once', async () => {
    await follow(page, 'Tokens')
    await page.getByRole('button', { name: 'New token' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('laptop')
    await dialog.getByRole('button', { name: 'Make token' }).click()
    await dialog.getByText('The token is ready').waitFor()
    key = (await dialog.getByLabel('Key').textContent()) ?? ''
    expect(key).toStartWith('sk-')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.content()).not.toContain(key)
  })

  test('asks by an SDK, and reads the receipt: what is charged is what the feed says', async () => {
    const { usage } = await ask('house-llm')
    await follow(page, 'Requests')
    await page.getByRole('row').filter({ hasText: 'house-llm' }).getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Bill' }).waitFor()
    const input = usage?.prompt_tokens ?? 0
    const output = usage?.completion_tokens ?? 0
    // USD per 1M tokens, times the multiplier of the group.
    const nano = (input * 1_500 + output * 6_000) * 2
    const charged = await page.getByRole('row').filter({ hasText: 'Charged' }).textContent()
    expect(charged).toContain(`$${(nano / 1e9).toFixed(9).replace(/0+$/, '')}`)
    const feed = await fetch(`${scene.gateway.url}/pricing/provider-pricing.json`)
    const { data } = (await feed.json()) as { data: { models: readonly object[] } }
    expect(data.models).toMatchObject([
      { model_name: 'house-llm', group_name: 'default', input_price: 3, output_price: 12 },
    ])
    await follow(page, 'Models')
    await page.getByText('$12.00').waitFor()
  })

  test('is told why a request failed, and what to write instead', async () => {
    await expect(ask('house-lm')).rejects.toThrow('404')
    await follow(page, 'Requests')
    await page
      .getByRole('row')
      .filter({ hasText: 'house-lm' })
      .first()
      .getByRole('link')
      .first()
      .click()
    await page.getByRole('heading', { name: 'Why did it fail?' }).waitFor()
    await page.getByText('Write the model as house-llm.').first().waitFor()
  })

  test('revokes the token: the next request is refused with 401', async () => {
    await follow(page, 'Tokens')
    await page.getByRole('button', { name: 'Actions for laptop' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('“laptop” is deleted').waitFor()
    await expect(ask('house-llm')).rejects.toThrow('401')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('“laptop” is back').waitFor()
    expect((await ask('house-llm')).choices).toHaveLength(1)
  })

  test('is told when another has saved before, and takes theirs or keeps their own', async () => {
    const other = await page.context().newPage()
    const edit = async (one: Page, list: string, name: string, label: string, value: string) => {
      await one.bringToFront()
      await one.goto(`${scene.gateway.url}/console/admin/${list}`)
      await one.getByRole('link', { name, exact: true }).click()
      await one.getByLabel(label).fill(value)
    }
    const save = async (one: Page) => {
      await one.bringToFront()
      await one.getByRole('button', { name: 'Save', exact: true }).click()
    }
    const value = (one: Page, label: string) => one.getByLabel(label).inputValue()

    await edit(other, 'channels', 'main', 'Weight', '5')
    await edit(page, 'channels', 'main', 'Weight', '3')
    await save(page)
    await page.getByText('It applies from the next request on').waitFor()
    await save(other)
    await other.getByText('Weight: 1 → 3').waitFor()
    await other.getByRole('button', { name: 'Keep mine' }).click()
    await other.getByText('It applies from the next request on').waitFor()
    await page.reload()
    await page.getByLabel('Weight').waitFor()
    expect(await value(page, 'Weight')).toBe('5')

    await edit(other, 'groups', 'default', 'Multiplier', '4')
    await edit(page, 'groups', 'default', 'Multiplier', '3')
    await save(page)
    await page.getByText('It applies from the next request on').waitFor()
    await save(other)
    await other.getByText('Multiplier: 2 → 3').waitFor()
    await other.getByRole('button', { name: 'Take theirs' }).click()
    await other.getByText('Somebody else').waitFor({ state: 'hidden' })
    expect(await value(other, 'Multiplier')).toBe('3')
    await other.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'hidden' })
    await other.close()
  })

  test('finds all of it in the audit', async () => {
    await follow(page, 'Audit')
    await page.getByTitle('token.restore').waitFor()
    for (const action of [
      'channel.create',
      'group.create',
      'price.set',
      'account.credit',
      'token.create',
    ]) {
      expect([action, await page.getByTitle(action, { exact: true }).count()]).not.toEqual([
        action,
        0,
      ])
    }
    expect(errors).toEqual([])
  })
})
