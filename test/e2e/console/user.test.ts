import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { startDemoUpstream } from '../../../src/app/demo/upstream.ts'
import { runBinary } from '../../support/binary.ts'
import { describeInBrowser, expectToFit } from '../../support/browser.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { enterNewAccount, follow, startConsole } from './console-binary.ts'

// What somebody does who was told the address of a gateway.

const kim = { email: 'kim@example.com', password: 'a long password' }

describeInBrowser('a user', () => {
  const upstream = startDemoUpstream({ paceMs: 1 })
  let scene: Awaited<ReturnType<typeof startConsole>>
  let page: Page
  let errors: readonly string[] = []
  let key = ''

  beforeAll(async () => {
    scene = await startConsole((listen) =>
      tollgateYaml({ listen, upstream: upstream.url, settings: { registration_enabled: true } }),
    )
  })
  afterAll(async () => {
    await scene.stop()
    await upstream.stop()
  })

  const ask = async (text: string) => {
    const sdk = new OpenAI({ baseURL: `${scene.gateway.url}/v1`, apiKey: key, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: text }]
    return await sdk.chat.completions.create({
      ...{ model: 'test-model', max_completion_tokens: 30, messages },
    })
  }

  test('signs up, and finds an empty account that says what to do next', async () => {
    ;({ page, errors } = await scene.visit('/console'))
    await page.getByRole('link', { name: 'Create one' }).click()
    await enterNewAccount(page, kim, 'Create account')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: /token/i }).last().waitFor()
  })

  test('makes a token with a budget', async () => {
    // An administrator has topped it up meanwhile, beside the running gateway.
    const credit = ['account', 'credit', kim.email, '1', '--reason', 'welcome']
    const { exitCode } = await runBinary([...credit, '--config', 'tollgate.yaml'], {
      cwd: scene.gateway.cwd,
    })
    expect(exitCode).toBe(0)
    await follow(page, 'Tokens')
    await page.getByRole('button', { name: 'New token' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('phone')
    await dialog.getByText('Budget, limits and restrictions').click()
    await dialog.getByLabel('Per day, USD').fill('0.0001')
    await dialog.getByRole('button', { name: 'Make token' }).click()
    await dialog.getByText('The token is ready').waitFor()
    key = (await dialog.getByLabel('Key').textContent()) ?? ''
    await dialog.getByRole('button', { name: 'Done' }).click()
  })

  test('is refused when the budget is used up, and told so', async () => {
    await ask('Hello')
    await expect(ask('Hello again, and tell me more about it')).rejects.toThrow('401')
    await follow(page, 'Requests')
    await page.getByText('Failed', { exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'test-model' }).getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Why did it fail?' }).waitFor()
    await page
      .getByText(/budget/i)
      .first()
      .waitFor()
  })

  test('takes the requests along as a file', async () => {
    await follow(page, 'Requests')
    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /CSV/ }).click(),
    ])
    const stream = await download.createReadStream()
    const lines = (await new Response(stream as unknown as ReadableStream).text())
      .trim()
      .split('\n')
    expect(download.suggestedFilename()).toEndWith('.csv')
    expect(lines[0]).toStartWith('request_id,created_at,account,token,group,model')
    expect(lines).toHaveLength(3)
  })

  test('reads it in Chinese, in the dark, on a phone; and it stays so', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: /Language/ }).click()
    await page.getByRole('menuitem', { name: '简体中文' }).click()
    await page.getByRole('heading', { name: '请求记录' }).waitFor()
    await page.getByRole('button', { name: /语言/ }).click()
    await page.getByRole('menuitem', { name: '深色' }).click()
    await page.reload()
    await page.getByRole('heading', { name: '请求记录' }).waitFor()
    const root = page.locator('html')
    expect(await root.getAttribute('lang')).toBe('zh-CN')
    expect(await root.getAttribute('data-mantine-color-scheme')).toBe('dark')
    await expectToFit(page)
    await page.getByRole('button', { name: '菜单' }).click()
    await follow(page, '余额')
    await page.getByRole('heading', { name: '余额' }).first().waitFor()
    await expectToFit(page)
    expect(errors.filter((error) => !error.includes('401'))).toEqual([])
  })

  test('sees nothing of the administration', async () => {
    expect(await page.getByText('管理', { exact: true }).count()).toBe(0)
    await page.goto(`${scene.gateway.url}/console/admin/accounts`)
    await page.getByRole('alert').waitFor()
    expect(await page.content()).not.toContain('user@example.com')
  })
})
