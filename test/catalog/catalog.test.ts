import { expect, test } from 'bun:test'
import { buildCatalog } from '../../src/catalog/catalog.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { channelWrite, now, seed } from '../store/support.ts'

test('a channel is in the snapshot with its quirks', async () => {
  const store = openSqliteStore({ path: ':memory:', clock: () => now })
  await seed(store)
  await store.admin.write({
    channels: [channelWrite({ name: 'odd', quirks: ['max_tokens', 'text_only'] })],
  })
  const { channels } = buildCatalog(await store.catalog.load(), () => ['key'])
  await store.close()
  expect([...channels.values()].map(({ name, quirks }) => [name, quirks])).toEqual([
    ['main', []],
    ['odd', ['max_tokens', 'text_only']],
  ])
})
