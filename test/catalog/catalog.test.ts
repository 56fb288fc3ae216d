import { expect, test } from 'bun:test'
import { buildCatalog, type Catalog } from '../../src/catalog/catalog.ts'
import type { Writes } from '../../src/store/ports/admin.ts'
import { channelWrite, groupWrite, now, seed } from '../store/support.ts'
import { openStore } from '../support/empty-store.ts'
import { noLimits } from '../support/no-limits.ts'

/** The snapshot of a seeded store after a change; a sealed proxy opens to its bytes as text. */
async function catalogAfter(writes: Writes): Promise<Catalog> {
  const store = await openStore(() => now)
  await seed(store)
  await store.admin.write(writes)
  const rows = await store.catalog.load()
  await store.close()
  return buildCatalog(
    rows,
    () => ['key'],
    (sealed) => new TextDecoder().decode(sealed),
  )
}

test('a channel is in the snapshot with its quirks', async () => {
  const quirks = ['max_tokens', 'text_only']
  const { channels } = await catalogAfter({ channels: [channelWrite({ name: 'odd', quirks })] })
  expect([...channels.values()].map((channel) => [channel.name, channel.quirks])).toEqual([
    ['main', []],
    ['odd', quirks],
  ])
})

test('a channel has its limits, its proxy in the clear and its probe', async () => {
  const limits = { rpm: 1, tpm: 2, concurrency: 3 }
  const probe = { everyMs: 5_000, model: null }
  const proxySealed = new TextEncoder().encode('http://proxy.example:3128')
  const set = channelWrite({ name: 'set', limits, probe, proxySealed })
  const { channels } = await catalogAfter({ channels: [set] })
  expect([...channels.values()]).toMatchObject([
    { name: 'main', limits: noLimits, proxy: undefined, probe: null, isDraining: false },
    { name: 'set', limits, proxy: 'http://proxy.example:3128', probe, isDraining: false },
  ])
})

test('a group has its limits', async () => {
  const limits = { rpm: null, tpm: 5, concurrency: null }
  const { groups } = await catalogAfter({ groups: [groupWrite({ limits })] })
  expect(groups.get(1)?.limits).toEqual(limits)
})

test('a group that names models sells these alone; one that is off lists none', async () => {
  const models = ['small', 'other'].map((id) => ({ id, upstream: id }))
  const writes = {
    channels: [channelWrite({ models })],
    prices: [{ model: 'other', terms: { unit: 'free' }, source: 'config', note: '' } as const],
  }
  const sold = async (changes: Parameters<typeof groupWrite>[0]) => {
    const { groups, models } = await catalogAfter({ ...writes, groups: [groupWrite(changes)] })
    return [[...(groups.get(1)?.offers.keys() ?? [])], [...models.keys()]]
  }
  expect(await sold({ models: [] })).toEqual([
    ['small', 'other'],
    ['other', 'small'],
  ])
  expect(await sold({ models: ['other'] })).toEqual([['other'], ['other']])
  expect((await sold({ models: ['other'], status: 'disabled' }))[1]).toEqual([])
})

test('a channel that drains is a candidate, and says that it drains; one that is off is none', async () => {
  const { channels, groups } = await catalogAfter({
    channels: [
      channelWrite({ name: 'leaving', status: 'draining' }),
      channelWrite({ name: 'off', status: 'disabled' }),
    ],
    groups: [groupWrite({ channels: ['leaving', 'off', 'main'] })],
  })
  const candidates = groups.get(1)?.offers.get('small')?.candidates ?? []
  expect(candidates.map(({ channel }) => [channel.name, channel.isDraining])).toEqual([
    ['leaving', true],
    ['main', false],
  ])
  expect([...channels.values()].map(({ name }) => name)).toEqual(['main', 'leaving'])
})

test.each([
  ['draining', ['small']],
  ['disabled', []],
] as const)('a model whose only channel is %s: callable are %j', async (status, models) => {
  const { models: callable } = await catalogAfter({ channels: [channelWrite({ status })] })
  expect([...callable.keys()]).toEqual([...models])
})
