import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeInBrowser } from '../support/browser.ts'
import { startConsolePages } from '../support/console-pages.ts'
import { people } from '../support/console-scene.ts'

/** In how many lines the balance is, how far it goes beyond its figure, and how large it is. */
const measure = `(() => {
  const shown = document.querySelector('section[aria-label="Balance"] span')
  const { right } = shown.getBoundingClientRect()
  const room = shown.parentElement.getBoundingClientRect().right
  const lines = new Set([...shown.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
  return [lines, right - room, getComputedStyle(shown).fontSize]
})()`

describeInBrowser('an amount of many signs', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
    const credit = {
      account: people.admin,
      kind: 'credit',
      amountNano: 1_234_567_123_456_789,
    } as const
    const told = { reason: 'much', actor: people.admin, idempotencyKey: null }
    await pages.scene.store.admin.adjust({ ...credit, ...told })
  })
  afterAll(() => pages?.stop())

  for (const width of [1280, 390]) {
    for (const path of ['', '/balance']) {
      test(`stands in short in one line of its figure, exact on hover, ${width} px wide: /console${path}`, async () => {
        const page = await pages.open('admin', path, { width })
        const amount = page.locator('section[aria-label="Balance"] span').first()
        await amount.waitFor()
        expect(await amount.textContent()).toMatch(/^\$1,234,\d{3}\.12$/)
        expect(await amount.getAttribute('title')).toMatch(/^\$1,234,\d{3}\.123456789$/)
        const [lines, over, size] = (await page.evaluate(measure)) as [number, number, string]
        expect(lines).toBe(1)
        expect(over).toBeLessThanOrEqual(0)
        expect(Number.parseFloat(size)).toBeGreaterThan(10)
      })
    }
  }
})
