import { expect, test } from 'bun:test'
import { inSlices } from '../../../src/lib/slices.ts'
import { modelPath } from '../../../src/look/model-path.ts'
import { findRows, withHealth } from '../../../src/site/models/find.ts'
import { modelsOf } from '../../../src/site/models/models.ts'
import { priceText } from '../../../src/site/models/money.ts'
import { tokensText } from '../../../src/site/models/parts.ts'
import { plainQuery, queryText, readQuery } from '../../../src/site/models/query.ts'
import { catalogOf, tokenTerms } from '../feed/catalogs.ts'
import { figuresOf } from '../status/figures.ts'

const { groups } = catalogOf(
  [
    { name: 'dear', multiplierMillionths: 2_000_000 },
    { name: 'cheap', multiplierMillionths: 800_000, models: ['gpt-5-mini', 'painter', 'gift'] },
    { name: 'off', status: 'disabled', models: ['secret'] },
    { name: 'dead', hasChannel: false, models: ['secret'] },
  ],
  [
    { id: 'gpt-5-mini', terms: tokenTerms(250_000, 2_000_000, { cacheRead: 25_000 }) },
    { id: 'claude-sonnet-4-5', terms: tokenTerms(3_000_000, 15_000_000) },
    { id: 'gemini-2.5-flash', terms: tokenTerms(300_000, 2_500_000) },
    { id: 'painter', terms: { unit: 'call', perCallNano: 40_000_000 } },
    { id: 'gift', terms: { unit: 'free' } },
  ],
)
const figures = figuresOf([
  { groupId: 1, model: 'gpt-5-mini', counts: { '5m': { succeeded: 5, failed: { upstream: 5 } } } },
  { groupId: 2, model: 'gpt-5-mini', counts: { '5m': { succeeded: 90 } } },
  {
    groupId: 1,
    model: 'gemini-2.5-flash',
    counts: { '5m': { succeeded: 1, failed: { upstream: 9 } } },
  },
])

async function rowsOf(query: string) {
  const models = await inSlices(modelsOf(groups))
  const asked = readQuery(new URLSearchParams(query))
  const rows = await inSlices(findRows(models.values(), asked, figures))
  return rows.map((row) => withHealth(row, asked, figures))
}
const namesOf = async (query: string) => (await rowsOf(query)).map(({ model }) => model.name)

test.each([
  ['', ['claude-sonnet-4-5', 'gemini-2.5-flash', 'gift', 'gpt-5-mini', 'painter']],
  ['q=GPT', ['gpt-5-mini']],
  ['q=anthropic', ['claude-sonnet-4-5']],
  ['vendor=google', ['gemini-2.5-flash']],
  ['group=cheap', ['gift', 'gpt-5-mini', 'painter']],
  ['group=off', []],
  ['modality=video', ['gemini-2.5-flash']],
  ['context=1000000', ['gemini-2.5-flash']],
  ['sort=input', ['gift', 'gpt-5-mini', 'gemini-2.5-flash', 'claude-sonnet-4-5', 'painter']],
  ['sort=-input', ['claude-sonnet-4-5', 'gemini-2.5-flash', 'gpt-5-mini', 'gift', 'painter']],
  ['sort=-now', ['gpt-5-mini', 'gemini-2.5-flash', 'claude-sonnet-4-5', 'gift', 'painter']],
  [
    'sort=nonsense&modality=smell&context=7&page=-1',
    ['claude-sonnet-4-5', 'gemini-2.5-flash', 'gift', 'gpt-5-mini', 'painter'],
  ],
])('?%s finds %p', async (query, names) => {
  expect(await namesOf(query)).toEqual(names)
})

test('a row has the cheapest group’s price, or that of the group asked for, and its saving', async () => {
  const shown = (await Promise.all(['q=gpt-5', 'q=gpt-5&group=dear'].map(rowsOf))).map(([row]) => ({
    group: row?.sale.group.name,
    saving: row?.saving,
    input: row?.charged.unit === 'tokens' && row.charged.tiers[0].rates.input,
  }))
  expect(shown).toMatchObject([
    { group: 'cheap', saving: 20 },
    { group: 'dear', saving: -100 },
  ])
  expect(shown.map(({ input }) => input && priceText(input))).toEqual(['$0.20', '$0.50'])
})

test('by a multiplier of 0 nothing is charged, and all is saved', async () => {
  const given = catalogOf(
    [{ name: 'given', multiplierMillionths: 0 }],
    [{ id: 'gpt-5-mini', terms: tokenTerms(250_000, 2_000_000) }],
  )
  const models = await inSlices(modelsOf(given.groups))
  const [row] = await inSlices(findRows(models.values(), plainQuery, figures))
  expect(row).toMatchObject({ charged: { unit: 'free' }, saving: 100 })
})

test('the size of a context is short, and exact', () => {
  const sizes = [8_000, 1_040_000, 1_047_576, 2_000_000]
  expect(sizes.map(tokensText)).toEqual(['8K', '1.04M', '1,047,576', '2M'])
})

test('availability is that of all its groups together, or of the group asked for', async () => {
  const stateOf = async (query: string) => (await rowsOf(query))[0]?.health.state
  expect(await stateOf('q=gpt-5')).toBe('operational')
  expect(await stateOf('q=gpt-5&group=dear')).toBe('degraded')
})

test('a query is written as it was read, without what says nothing', () => {
  for (const text of [
    '',
    'q=a+b&vendor=x-ai&group=%E9%BB%98&modality=image&context=200000&sort=-list&page=3',
  ])
    expect(queryText(readQuery(new URLSearchParams(text)))).toBe(text)
})

test.each([
  ['gpt-5', '/models/gpt-5'],
  ['anthropic/claude-opus-4.5', '/models/anthropic/claude-opus-4.5'],
  ['deepseek/r1:free', '/models/deepseek/r1:free'],
  ['a b?c#d%"<', '/models/a%20b%3Fc%23d%25%22%3C'],
  ['a/../b', '/models/a%2F..%2Fb'],
])('the page of %s is at %s', (name, path) => {
  expect(modelPath(name)).toBe(path)
  const { pathname } = new URL(path, 'http://gw')
  expect(decodeURIComponent(pathname.slice('/models/'.length))).toBe(name)
})
