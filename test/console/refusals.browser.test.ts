import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { reasonText } from '../../src/console/lib/error-text.ts'
import { describeInBrowser, openBrowser, type TestBrowser } from '../support/browser.ts'
import { people, serveScene, startConsoleScene } from '../support/console-scene.ts'

// What the API refuses is said at its field, and in the language of the page.

describeInBrowser('a refusal on a page in Chinese', () => {
  let scene: Awaited<ReturnType<typeof startConsoleScene>>
  let browser: TestBrowser
  let server: ReturnType<typeof Bun.serve>
  let page: Page
  beforeAll(async () => {
    ;[scene, browser] = await Promise.all([startConsoleScene(), openBrowser()])
    server = serveScene(scene)
    const extraHTTPHeaders = { 'x-test-person': people.admin }
    page = await browser.newPage({ locale: 'zh-CN', extraHTTPHeaders })
  })
  afterAll(async () => {
    await browser?.close()
    server?.stop(true)
    await scene?.stop()
  })

  const open = (path: string) => page.goto(`${server.url.origin}/console${path}`)
  const write = (label: string, text: string) =>
    page.getByLabel(label).first().fill(text, { timeout: 60_000 })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).last().click()
  /** What a field is described by, its complaint among it. */
  const complaint = (label: string, text: string) =>
    page
      .locator('.mantine-InputWrapper-root', { hasText: label })
      .locator('.mantine-InputWrapper-error', { hasText: text })
      .first()
      .waitFor({ timeout: 60_000 })

  test('of a group whose name is taken', async () => {
    await open('/admin/groups/new')
    await write('名称', 'default')
    await press('添加分组')
    await complaint('名称', '已有名为“default”的分组，请换一个名称。')
  })

  test('of an account: no amount, and an address that is taken', async () => {
    await open('/admin/accounts')
    await press('新建账户')
    await page.getByRole('dialog').getByLabel('邮箱').fill(people.other)
    await write('初始余额', 'a lot')
    await press('创建账户')
    await complaint('初始余额', '请填写美元金额，最多 9 位小数，例如 100 或 2.5')
    await write('初始余额', '1')
    await press('创建账户')
    await complaint('邮箱', `已有账户“${people.other}”，请换一个邮箱。`)
  })

  test('of a token with an address that is none', async () => {
    await open('/tokens')
    await press('新建令牌')
    await page.locator('summary').click()
    await write('IP', '300.1.2.3')
    await page.keyboard.press('Enter')
    await press('创建令牌')
    await complaint('IP', '请填写 IP 地址或 CIDR 网段，例如 203.0.113.7 或 10.0.0.0/8')
  })

  test('of all faults of a channel at once', async () => {
    await open('/admin/channels/new')
    await write('名称', 'a channel')
    await write('Chat', 'https://user:word@api.example.com/v1')
    await write('模型', 'one\none')
    await write('API 密钥', 'a-key-0123456789')
    await press('添加渠道')
    await complaint('Chat', '请填写以 https:// 或 http:// 开头的网址，其中不含用户名、密码和 #')
    await complaint('模型', '与前面的重复')
  })

  test('of a model that is not there: in Chinese, and in the words that clients read', async () => {
    await scene.ask('admin', 'POST', '/api/v1/tokens', { name: 'mine', group: 'default' })
    await open('/playground')
    await write('模型', 'no-such-model')
    await press('发送')
    const alert = page.getByRole('alert')
    await alert.getByText('令牌所在的分组没有所请求的模型。').waitFor({ timeout: 60_000 })
    const english = alert.locator('[lang="en"]')
    expect(await english.textContent()).toContain('no-such-model')
  })

  test('of a second step that took too long: that it is to be begun again', async () => {
    const halfway = { code: 0, message: 'success', data: { two_factor: true } }
    await page.route('**/api/v1/auth/sign-in/email', (route) => route.fulfill({ json: halfway }))
    await open('/sign-in')
    await write('邮箱', people.user)
    await write('密码', 'a long password')
    await press('登录')
    await page.getByLabel('验证码').fill('123456', { timeout: 60_000 })
    await page.keyboard.press('Enter')
    const alert = page.getByRole('alert')
    await alert.getByText('请重新开始').waitFor({ timeout: 60_000 })
    expect(await alert.textContent()).not.toMatch(/[a-z]/)
  })

  test('of a passkey that is not accepted: not that a password is wrong', () => {
    expect(reasonText('wrong_passkey', 'zh')).toBe('通行密钥未通过验证')
  })

  test('of each wrong setting at once, and the first is where one types', async () => {
    await open('/admin/settings')
    await write('最多尝试', '0')
    await write('排队时间', 'soon')
    await press('保存')
    await complaint('最多尝试', '"0" 无效，请填写 1 至 100 的整数')
    await complaint('排队时间', '"soon" 无效，请填写整数加单位，例如 500ms、10s、5m 或 1h')
    expect(await page.locator('.mantine-InputWrapper-error').count()).toBe(2)
    expect(await page.evaluate('document.activeElement.value')).toBe('0')
  })
})
