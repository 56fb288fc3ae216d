import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { filterRows, plazaRows } from '../../../../src/console/pages/plaza/rows.ts'
import type { PlazaDocument } from '../../../../src/site/plaza/schema.ts'
import { startConsoleScene } from '../../../support/console-scene.ts'

let scene: Awaited<ReturnType<typeof startConsoleScene>>
let document: PlazaDocument
beforeAll(async () => {
  scene = await startConsoleScene({
    models: ['long', 'picture', 'gpt-4o'],
    prices: {
      long: {
        ...{ input: 1.25, output: 2.19, cache_read: 0.125, output_audio: 64 },
        tiers: [{ above: 200_000, input: 2.5, output: 15 }],
      },
      picture: { per_call: 0.04 },
      'gpt-4o': { input: 2.5, output: 10 },
    },
    moreGroups: [{ name: 'cheap', channels: ['main'], models: ['long'], rate_multiplier: 0.07 }],
  })
  const response = await scene.send(null, 'GET', '/api/v1/model-plaza')
  document = (await response.json()) as PlazaDocument
})
afterAll(() => scene.stop())

const pick = (model: string, group: string) =>
  plazaRows(document.data.groups).find((row) => row.model === model && row.group === group)

describe('the plaza', () => {
  test('has exact prices of a million tokens: base price, times multiplier, list price', () => {
    const base = pick('long', 'cheap')?.tiers[0]?.prices ?? []
    expect(base.map(({ item, base, final }) => [item, base, final])).toEqual([
      ['input', '1.25', '0.0875'],
      ['output', '2.19', '0.1533'],
      ['cache_read', '0.125', '0.00875'],
      ['cache_write', '1.25', '0.0875'],
      ['cache_write_1h', '1.25', '0.0875'],
    ])
    expect(pick('gpt-4o', 'default')?.tiers[0]?.prices[0]).toMatchObject({ list: '2.5' })
    expect(base[0]?.list).toBeNull()
  })

  test('has the prices of long contexts beside', () => {
    const tiers = pick('long', 'cheap')?.tiers ?? []
    expect(tiers.map(({ label, prices }) => [label, prices[0]?.final])).toEqual([
      [null, '0.0875'],
      ['>200K', '0.175'],
    ])
  })

  test('has a price per call where tokens do not count', () => {
    expect(pick('picture', 'default')?.tiers).toEqual([
      {
        label: null,
        prices: [{ item: 'per_request', base: '0.04', final: '0.04', list: null }],
      },
    ])
  })

  test('tells what sound, tools and service tiers cost in the group', () => {
    const { modalities = [], tools = [], serviceTiers = [] } = pick('long', 'cheap')?.extras ?? {}
    expect(Object.fromEntries(modalities)).toMatchObject({ 'output audio': '4.48' })
    expect(Object.fromEntries(tools)).toMatchObject({ 'web search': '0.00245' })
    expect(Object.fromEntries(serviceTiers)).toMatchObject({ priority: '2' })
  })

  test('lists a model once for each group, the cheapest first', () => {
    const names = plazaRows(document.data.groups).map(({ model, group }) => `${model} ${group}`)
    expect(names).toEqual(['gpt-4o default', 'long cheap', 'long default', 'picture default'])
  })

  test('is searched by model and group, and by what a token can call', () => {
    const names = (filter: Parameters<typeof filterRows>[1]) =>
      filterRows(plazaRows(document.data.groups), filter).map(
        ({ model, group }) => `${model} ${group}`,
      )
    expect(names({ search: ' LONG' })).toEqual(['long cheap', 'long default'])
    expect(names({ search: 'cheap' })).toEqual(['long cheap'])
    expect(names({ group: 'cheap' })).toEqual(['long cheap'])
    const token = { group: 'default', models: ['long', 'picture'] }
    expect(names({ token })).toEqual(['long default', 'picture default'])
  })
})
