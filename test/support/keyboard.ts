import { expect } from 'bun:test'
import type { Page } from 'playwright-core'

/** What has the focus: its name, and whether that can be seen. */
interface Focus {
  readonly name: string
  readonly isSeen: boolean
}

/** Read in the page: what has the focus, or what stands beside or around it, looks otherwise than a twin without it. */
const readFocus = `(async () => {
  const element = document.activeElement
  if (!element || element === document.body) return null
  const near = [element, element.nextElementSibling].filter(Boolean)
  for (let one = element; near.length < 6 && (one = one.parentElement); ) near.push(one)
  await Promise.allSettled(near.flatMap((one) => one.getAnimations()).map(({ finished }) => finished))
  if (!element.isConnected) return null
  const look = (one) => {
    const { outlineStyle, outlineWidth, boxShadow, borderTopColor } = getComputedStyle(one)
    return [outlineStyle, outlineWidth, boxShadow, borderTopColor].join()
  }
  const isSeen = near.some((one) => {
    const twin = one.cloneNode()
    one.after(twin)
    const [focused, blurred] = [look(one), look(twin)]
    twin.remove()
    return focused !== blurred
  })
  const label = element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent ?? ''
  return { name: label.replace(/[*\\s]+/g, ' ').trim(), isSeen }
})()`

/** Somebody who has no mouse: what has the focus is always somewhere, and can be seen. */
export function keysOf(page: Page) {
  /** What was taken out of the page gives the focus on a moment later. */
  async function focus(): Promise<Focus> {
    const found = (await page.evaluate(readFocus)) as Focus | null
    if (found !== null) return found
    await page.locator(':focus').first().waitFor({ state: 'attached' })
    return (await page.evaluate(readFocus)) as Focus
  }

  const press = (key: string) => page.keyboard.press(key)

  /** Goes on by a key until something of this name has the focus. */
  async function goTo(name: string, key = 'Tab', most = 60): Promise<void> {
    const passed: string[] = []
    for (let times = 0; times < most; times++) {
      const { name: here, isSeen } = await focus()
      expect([here, isSeen]).toEqual([here, true])
      if (here === name) return
      passed.push(here)
      await press(key)
    }
    throw new Error(`"${name}" is not reached by ${key} at ${page.url()}: ${passed.join(' | ')}`)
  }

  return {
    focus,
    press,
    goTo,
    /** A dialog has gone, and its opener has the focus again. */
    async isBackAt(name: string): Promise<void> {
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      expect((await focus()).name).toBe(name)
    },
    /** Goes to a button and presses it. */
    async pressOn(name: string, key?: string): Promise<void> {
      await goTo(name, key)
      await press('Enter')
    },
    /** Goes to a field and types into it, instead of what it has. */
    async type(name: string, text: string): Promise<void> {
      await goTo(name)
      await press('ControlOrMeta+a')
      await page.keyboard.type(text)
    },
    /** Goes to another page by the search that goes anywhere. */
    async find(text: string, heading: string): Promise<void> {
      await press('ControlOrMeta+k')
      await page.getByRole('textbox', { name: /^Go to a page/ }).waitFor()
      await page.keyboard.type(text)
      await page.getByRole('dialog').locator('[data-selected]', { hasText: text }).waitFor()
      await press('Enter')
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    },
  }
}
