import { afterAll, beforeAll, test } from 'bun:test'
import { describeInBrowser } from '../support/browser.ts'
import { startConsolePages } from '../support/console-pages.ts'
import { jsonAnswer } from '../support/fake-upstream.ts'
import { keysOf } from '../support/keyboard.ts'

describeInBrowser('by keyboard alone', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
  })
  afterAll(() => pages?.stop())

  test('a channel is set up, a key copied, an account topped up, a failure found, a price changed', async () => {
    const { scene } = pages
    scene.upstream.handle(({ method }) =>
      method === 'GET'
        ? jsonAnswer({ data: [{ id: 'llama' }, { id: 'unwanted' }] })
        : jsonAnswer({
            ...{ id: 'x', object: 'chat.completion', created: 1, model: 'llama' },
            choices: [
              {
                ...{ index: 0, finish_reason: 'stop' },
                message: { role: 'assistant', content: 'Hello, hallo, hola' },
              },
            ],
            usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
          }),
    )
    const failed = await scene.chat('no-such-model')
    const failedId = failed.headers.get('x-request-id') ?? ''
    await failed.text()
    await scene.tollgate.settled()

    const page = await pages.open('admin', '/admin/start?step=vendor')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    // A browser without a window asks nobody.
    await page.context().grantPermissions(['clipboard-write'])
    const keys = keysOf(page)
    await page.getByRole('radio', { name: 'OpenAI' }).waitFor()

    // A channel, with its models and their prices.
    await keys.press('Tab')
    await keys.goTo('OpenAI')
    await keys.goTo('Ollama', 'ArrowRight')
    await keys.type('Base URL', `${scene.upstream.url}/v1`)
    await keys.pressOn('Fetch models')
    await page.getByLabel('llama', { exact: true }).waitFor()
    await keys.goTo('llama')
    await keys.press('Space')
    await keys.type('Input price of llama', '1')
    await keys.type('Output price of llama', '2')
    await keys.type('Name of the group', 'bykeys')
    await keys.press('Escape')
    await keys.pressOn('Save and go on')
    await page.getByLabel('Name of the token').waitFor()
    await keys.pressOn('Make a token')
    await page.getByRole('button', { name: 'Say hello' }).waitFor()
    await keys.pressOn('Say hello')
    await page.getByTestId('answer').filter({ hasText: 'Hello, hallo, hola' }).waitFor()

    // A token, whose key is copied.
    await keys.find('Tokens', 'Tokens')
    await keys.pressOn('New token')
    await page.getByRole('dialog').waitFor()
    await keys.type('Name', 'laptop')
    await keys.press('Enter')
    await page.getByText('The token is ready').waitFor()
    await keys.pressOn('Copy')
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await keys.press('Escape')
    await keys.isBackAt('New token')

    // Money for an account.
    await keys.find('user@example.com', 'user@example.com')
    await keys.type('Amount (USD)', '5')
    await keys.type('Reason', 'a test')
    await keys.press('Enter')
    await page.getByText('$5.00 added.').waitFor()

    // Why a request failed.
    await keys.find(failedId, 'Request')
    await page.getByText('has no model no-such-model').first().waitFor()

    // A multiplier, and a price.
    await keys.find('bykeys', 'bykeys')
    await keys.type('Multiplier', '2')
    await keys.press('Enter')
    await page.getByText('Saved').first().waitFor()
    await keys.find('Prices', 'Prices')
    await keys.pressOn('llama')
    await page.getByRole('dialog').waitFor()
    await keys.type('Input', '3')
    await keys.press('Enter')
    await page.getByText('The price of llama is set.').waitFor()
    await keys.press('Escape')
    await keys.isBackAt('llama')
  })
})
