import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeInBrowser } from '../../../support/browser.ts'
import { press, startConsolePages } from '../../../support/console-pages.ts'
import { jsonAnswer } from '../../../support/fake-upstream.ts'

describeInBrowser('the first steps', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
  })
  afterAll(() => pages?.stop())

  test('lead from an address to the first answer, and make nothing by halves', async () => {
    const { scene } = pages
    const page = await pages.open('admin', '/admin/start?step=vendor')
    await page.getByRole('radio', { name: 'Ollama' }).click()
    await page.getByLabel('Base URL').fill(`${scene.upstream.url}/v1`)
    scene.upstream.handle(() => jsonAnswer({ error: { message: 'No such page.' } }, 404))
    await press(page, 'Fetch models')
    await page.getByText('This address offers no list of models').waitFor()

    scene.upstream.handle(({ method }) =>
      jsonAnswer(
        method === 'GET'
          ? { data: ['an-embedding', 'gpt-5-mini', 'llama', 'unwanted'].map((id) => ({ id })) }
          : {
              ...{ id: 'x', object: 'chat.completion', created: 1, model: 'llama' },
              choices: [
                {
                  ...{ index: 0, finish_reason: 'stop' },
                  message: { role: 'assistant', content: 'Hello, hallo, hola' },
                },
              ],
              usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
            },
      ),
    )
    await press(page, 'Fetch models')
    for (const model of ['an-embedding', 'llama'])
      await page.getByLabel(model, { exact: true }).check()
    await page.getByRole('combobox', { name: 'Name of the group' }).fill('first')
    await press(page, 'Save and go on')
    await page.getByText('Fill in both prices').waitFor()
    const names = async (list: string) => {
      const { data } = await scene.ask('admin', 'GET', `/api/v1/admin/${list}`)
      return (data.items as { readonly name: string }[]).map(({ name }) => name)
    }
    expect(await names('channels')).toEqual(['main'])

    await page.getByLabel('Input price of llama').fill('1')
    await page.getByLabel('Output price of llama').fill('2')
    await page.getByLabel('an-embedding is free').check()
    await press(page, 'Save and go on')
    await page.getByLabel('Name of the token').waitFor()
    expect([await names('channels'), await names('groups')]).toEqual([
      ['main', 'ollama'],
      ['default', 'first'],
    ])
    await press(page, 'Make a token')
    // The first of the list has no answers in words.
    const model = page.getByLabel('Model', { exact: true })
    expect(await model.inputValue()).toBe('gpt-5-mini')
    await model.selectOption('llama')
    await press(page, 'Say hello')
    await page.getByTestId('answer').getByText('Hello, hallo, hola').waitFor()
    await page.getByText('Now from your programs').waitFor()
    await page.getByText('$0.00002', { exact: true }).waitFor()
  })
})
