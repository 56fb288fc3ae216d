import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createLogger } from '../../../src/lib/log.ts'
import { createFeedBuilder } from '../../../src/site/feed/document.ts'
import {
  createPublication,
  createSnapshots,
  type Publication,
} from '../../../src/site/published.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/open.ts'
import { until } from '../../e2e/until.ts'
import { catalogOf, tokenTerms } from '../../site/feed/catalogs.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { ask, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { now } from '../support.ts'

const site = () => ({ name: 'Gateway', domain: 'gateway.example.com', currency: 'USD' })
const quiet = createLogger({ sink: () => {}, pretty: false, level: 'error', clock: () => now })

interface Node {
  readonly store: PostgresStore
  readonly feed: Publication
  readonly refresh: () => Promise<void>
  readonly text: () => string
}

describe.skipIf(!hasPostgres)('a document of several nodes', () => {
  let database: TestDatabase
  /** Price of the model, as all nodes see it. */
  let price = 1
  const opened: Node[] = []

  beforeEach(async () => {
    database = await lendDatabase()
    price = 1
  })
  afterEach(async () => {
    for (const node of opened.splice(0)) await node.store.close()
    await database[Symbol.asyncDispose]()
  })

  const catalog = () =>
    catalogOf(
      [{ name: 'group' }],
      [{ id: 'model', terms: tokenTerms(price * 1_000_000, 9_000_000) }],
    )

  /** A node with a clock of its own, which is `ahead` of the others. */
  async function start(ahead: number): Promise<Node> {
    const clock = () => now + ahead
    const store = await openPostgresStore({ url: database.url, clock })
    const build = createFeedBuilder({ catalog, site, clock })
    const shared = { documents: store.documents, name: 'feed' }
    const feed = createPublication({ name: 'feed', build, clock, log: quiet, shared })
    const node = { store, feed, refresh: feed.refresh, text: () => textOf(feed.current()?.body) }
    opened.push(node)
    return node
  }
  const textOf = (body?: Uint8Array) => new TextDecoder().decode(body)
  const servedBy = (nodes: readonly Node[]) =>
    new Set(
      nodes.map(({ feed }) => {
        const { body, gzip, ...named } = feed.current() ?? {}
        return JSON.stringify([textOf(body), gzip?.toHex(), named])
      }),
    )

  test('is the same on all to the last byte, tag and date, whatever their clocks say', async () => {
    const nodes = [await start(0), await start(5_000), await start(-60_000)]
    for (price of [1, 2, 3]) {
      for (const { refresh } of nodes) await refresh()
      expect(servedBy(nodes).size).toBe(1)
      expect(nodes[2]?.text()).toContain(`"input_price":${price}`)
    }
  })

  test('is the same on all that start together, when it is stored and when another node builds on', async () => {
    const [leader, other] = [await start(0), await start(400)]
    await leader.store.documents.leads()
    await other.refresh()
    expect(other.text()).toContain('"input_price":1')
    await leader.refresh()
    await other.refresh()
    expect(servedBy([leader, other]).size).toBe(1)
    const stored = leader.text()
    await leader.store.close()
    await other.refresh()
    expect(other.store.documents.isLeading()).toBe(true)
    const third = await start(600)
    await third.refresh()
    expect([other.text(), third.text()]).toEqual([stored, stored])
  })

  test('is never dated before the one that another node has built, whatever its clock says', async () => {
    const [ahead, behind] = [await start(60_000), await start(0)]
    const dateOf = ({ text }: Node) => Date.parse(/"updated_at":"([^"]*)"/.exec(text())?.[1] ?? '')
    await ahead.refresh()
    const before = dateOf(ahead)
    await ahead.store.close()
    price = 2
    await behind.refresh()
    expect(behind.text()).toContain('"input_price":2')
    expect(dateOf(behind)).toBeGreaterThan(before)
  })

  test('is told of to the others when it has changed, and not when it is built as before', async () => {
    const leader = await start(0)
    const other = await start(5_000)
    await leader.refresh()
    await other.refresh()
    await Bun.sleep(50)
    await other.store.changedElsewhere()
    await leader.refresh()
    await Bun.sleep(50)
    expect(await other.store.changedElsewhere()).toBe(false)
    price = 2
    await leader.refresh()
    await until('the others to be told', () => other.store.changedElsewhere())
    expect(await leader.store.changedElsewhere()).toBe(false)
  })

  test('is built on by another node when the first one is gone, or cut off', async () => {
    const nodes = [await start(0), await start(5_000), await start(9_000)]
    for (const { refresh } of nodes) await refresh()
    const leading = () => nodes.map(({ store }) => store.documents.isLeading())
    expect(leading()).toEqual([true, false, false])
    const before = nodes[1]?.text()
    await ask(
      database.url,
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    await until('it to be noticed', () => !leading().includes(true))
    const [first, ...others] = nodes
    for (const { refresh } of others) await refresh()
    expect(nodes[1]?.text()).toBe(before)
    price = 2
    for (const { refresh } of others) await refresh()
    await first?.refresh()
    expect(servedBy(nodes).size).toBe(1)
    expect(first?.text()).toContain('"input_price":2')
    expect(await Promise.all(nodes.map(({ store }) => store.documents.leads()))).toEqual([
      false,
      true,
      false,
    ])
    expect(leading()).toEqual([false, true, false])
  })

  test('has the last change, even when the node that builds ends just before it would', async () => {
    const [leader, other] = [await start(0), await start(5_000)]
    await leader.refresh()
    const snapshots = createSnapshots([other.feed], 3_600_000, other.store.documents)
    price = 2
    await other.refresh()
    expect(other.text()).toContain('"input_price":1')
    await leader.store.close()
    await until('another node to build', () => other.text().includes('"input_price":2'))
    await snapshots.stop()
  })
})
