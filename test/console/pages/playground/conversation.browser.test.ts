import { afterAll, beforeAll, expect, test } from 'bun:test'
import { dialects } from '../../../e2e/dialects.ts'
import { accessibilityProblems, describeInBrowser } from '../../../support/browser.ts'
import { press, startConsolePages } from '../../../support/console-pages.ts'
import { sseAnswer } from '../../../support/fake-upstream.ts'

const { chat } = dialects
const tokens = { input: 100, output: 50 }

describeInBrowser('a conversation in the playground', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
    const answers = ['One.', 'Two.', 'Three.', 'Four.'].values()
    pages.scene.upstream.handle(() => {
      const text = answers.next().value ?? 'More.'
      return sseAnswer(chat.first(tokens) + chat.piece(text) + chat.last(tokens))
    })
    await pages.scene.ask('admin', 'POST', '/api/v1/tokens', { name: 'mine', group: 'default' })
  })
  afterAll(() => pages?.stop())
  const sent = () =>
    (pages.scene.upstream.last().json() as { messages: { role: string; content: unknown }[] })
      .messages

  test('goes on from what was said, is changed and asked of two models', async () => {
    const page = await pages.open('admin', '/playground?model=test-model')
    const field = page.getByLabel('Your text')
    await field.fill('The first question')
    await press(page, 'Ask')
    await page.getByText('One.', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Receipt' }).waitFor()
    await page.getByText('100 tokens in, 50 out').waitFor()

    await field.fill('The second question')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Two.', { exact: true }).waitFor()
    expect(sent().map(({ role, content }) => [role, content])).toEqual([
      ['user', 'The first question'],
      ['assistant', 'One.'],
      ['user', 'The second question'],
    ])

    // A changed question takes its answer back, and all that came after it.
    const second = page.getByRole('region', { name: 'Turn 2' })
    await second.getByRole('button', { name: 'Change', exact: true }).click()
    await second.waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('The second question')
    await page.getByRole('combobox', { name: 'Compare with' }).fill('other-model')
    await page.keyboard.press('Escape')
    const image = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('an image') }
    await page.locator('input[type=file]').setInputFiles(image)
    await page.getByRole('img', { name: 'Image 1' }).waitFor()
    await press(page, 'Ask')
    const both = page.getByRole('region', { name: 'Turn 3' })
    for (const model of ['test-model', 'other-model']) {
      await both
        .getByRole('article', { name: model })
        .getByText(/^(Three|Four)\.$/)
        .waitFor()
      expect(await both.getByRole('button', { name: 'Copy as curl' }).count()).toBe(2)
    }
    expect(sent()).toHaveLength(3)
    const data = image.buffer.toString('base64')
    expect(sent().at(-1)?.content).toContainEqual({
      ...{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
    })
    expect(await accessibilityProblems(page)).toEqual([])

    // On a phone, what offers the way back leaves free what is written in.
    await page.setViewportSize({ width: 390, height: 844 })
    await press(page, 'Clear')
    await page.getByText('The first question').waitFor({ state: 'detached' })
    const undo = page.getByRole('button', { name: 'Undo' })
    const [notice, composer] = [await undo.boundingBox(), await field.boundingBox()]
    expect((notice?.y ?? 844) + (notice?.height ?? 0)).toBeLessThan(composer?.y ?? 0)
    await press(page, 'Undo')
    await page.getByText('The first question', { exact: true }).waitFor()
  })
})
