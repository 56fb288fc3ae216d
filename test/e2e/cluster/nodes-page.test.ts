import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  accessibilityProblems,
  describeInBrowser,
  expectToFit,
  openBrowser,
  type TestBrowser,
} from '../../support/browser.ts'
import { type FakeUpstream, startFakeUpstream } from '../../support/fake-upstream.ts'
import { createDatabase, type TestDatabase } from '../../support/postgres.ts'
import { testKey } from '../../support/tollgate-yaml.ts'
import { startValkey, type Valkey } from '../../support/valkey.ts'
import { signIn } from '../console/console-binary.ts'
import { describeCluster } from './describe-cluster.ts'
import { type Cluster, startCluster } from './scene.ts'

const owner = { email: 'owner@example.com', password: 'a rather long password' }

const looks = [
  { locale: 'en-US', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 390, height: 800 } },
] as const

describeInBrowser('the page of nodes', () => {
  describeCluster('of three that share a database and a Valkey', () => {
    let upstream: FakeUpstream
    let valkey: Valkey
    let database: TestDatabase
    let cluster: Cluster
    let browser: TestBrowser
    let pages: Page[]

    beforeAll(async () => {
      // Answers never come: what is under way stays so.
      upstream = startFakeUpstream(() => new Promise(() => {}))
      ;[valkey, database] = await Promise.all([startValkey(), createDatabase()])
      cluster = await startCluster({
        ...{ upstream: upstream.url, store: database.url, counters: valkey.url },
        moreAccounts: [{ ...owner, role: 'admin', balance: 1 }],
      })
      browser = await openBrowser()
      const url = `${cluster.nodes[0]?.url}/console`
      const [english, chinese] = await Promise.all(looks.map((look) => browser.newContext(look)))
      const [first, second] = await Promise.all([english?.newPage(), chinese?.newPage()])
      if (!first || !second) throw new Error('No page was opened.')
      await first.goto(`${url}/sign-in`)
      await signIn(first, owner, 'Sign in')
      await chinese?.addCookies((await english?.cookies()) ?? [])
      pages = [first, second]
      for (const page of pages) await page.goto(`${url}/admin/nodes`)
    })
    afterAll(async () => {
      await browser?.close()
      await cluster?.[Symbol.asyncDispose]()
      await Promise.all([upstream.stop(), valkey?.stop(), database?.[Symbol.asyncDispose]()])
    })

    /** Resolves when each page shows all these words, in its language. */
    async function shows(english: readonly string[], chinese: readonly string[]): Promise<void> {
      for (const [at, words] of [english, chinese].entries()) {
        const page = pages[at] as Page
        for (const one of words) await page.getByText(one).first().waitFor({ timeout: 60_000 })
        expect(await accessibilityProblems(page)).toEqual([])
        await expectToFit(page)
      }
    }

    test('lists them by itself, with who leads and who counts together', async () => {
      await shows(
        ['Answers you now', 'Leads', 'counted with all nodes', 'seconds ago'],
        ['当前应答节点', '主节点', '与所有节点合计', '秒钟前'],
      )
      expect(await pages[0]?.locator('table.list tbody tr').count()).toBe(3)
      expect(await pages[0]?.getByText('Leads', { exact: true }).count()).toBe(1)
    })

    test('says that Valkey is away, and that it is back', async () => {
      await valkey.stop()
      await shows(
        ['Valkey is out of reach', 'Nodes without it: 3'],
        ['无法连接 Valkey', '受影响的节点：3 个'],
      )
      await valkey.start()
      for (const page of pages)
        await page
          .getByText(/Valkey is out of reach|无法连接 Valkey/)
          .waitFor({ state: 'detached', timeout: 60_000 })
    })

    test('shows a node that was killed, and what it has left until that is closed', async () => {
      const last = cluster.nodes[2]
      const asked = fetch(`${last?.url}/v1/chat/completions`, {
        ...{ method: 'POST', proxy: false },
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test-model', messages: [{ role: 'user', content: 'hi' }] }),
      }).catch(() => undefined)
      const isLeft = async () => {
        const [row] = await cluster.rows<{ count: number }>('SELECT count(*) FROM reservation')
        return Number(row?.count) === 1
      }
      while (!(await isLeft())) await Bun.sleep(20)
      await last?.kill()
      await asked
      // As if it had been silent for long; whoever looks next closes what it has left.
      await cluster.rows(
        'UPDATE node SET seen_at = seen_at - 31000 WHERE id = (SELECT max(id) FROM node)',
      )
      await shows(['dead'], ['已失联'])
      while (await isLeft()) await Bun.sleep(20)
      const row = pages[0]?.locator('table.list tbody tr').last()
      await row?.getByText('Being closed').waitFor({ state: 'detached', timeout: 60_000 })
      expect(await row?.textContent()).toContain('dead')
    })
  })
})
