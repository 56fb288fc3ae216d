import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems, describeInBrowser, expectToFit } from '../../support/browser.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { type Look, signIn, startConsole } from './console-binary.ts'
import { owner } from './lived-in.ts'

const phone: Look = { locale: 'zh-CN', colorScheme: 'dark', width: 390 }

describeInBrowser('the page of nodes, of a gateway with workers', () => {
  let console: Awaited<ReturnType<typeof startConsole>>
  beforeAll(async () => {
    console = await startConsole((listen) =>
      tollgateYaml({
        ...{ listen, upstream: 'http://127.0.0.1:9', server: { workers: 2 } },
        moreAccounts: [{ ...owner, role: 'admin', balance: 1 }],
      }),
    )
  })
  afterAll(() => console?.stop())

  /** Resolves when the page shows these processes, and nothing that does not belong. */
  async function expectShown(page: Page, names: readonly string[]): Promise<void> {
    const rows = page.locator('table.list').last().locator('tbody tr')
    for (const name of names) await rows.getByText(name, { exact: true }).waitFor()
    expect(await rows.count()).toBe(names.length)
    for (const row of await rows.allTextContents()) expect(row).toMatch(/\d+\u00a0%\d+ MB$/)
    expect(await accessibilityProblems(page)).toEqual([])
    await expectToFit(page)
  }

  test('shows the keeper and each worker, in both languages and on a phone', async () => {
    const wide = await console.visit('/console/sign-in')
    await signIn(wide.page, owner, 'Sign in')
    await wide.page.goto(`${console.gateway.url}/console/admin/nodes`)
    await expectShown(wide.page, ['Keeper', 'Worker 0', 'Worker 1'])
    const narrow = await console.visit('/console/sign-in', phone)
    await narrow.context.addCookies(await wide.context.cookies())
    await narrow.page.goto(`${console.gateway.url}/console/admin/nodes`)
    await expectShown(narrow.page, ['保管进程', '工作进程 0', '工作进程 1'])
  })
})
