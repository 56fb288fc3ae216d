import { expect, test } from 'bun:test'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import { inSlices } from '../../../src/lib/slices.ts'
import { frontFacts } from '../../../src/site/front/facts.ts'
import { modelsOf } from '../../../src/site/models/models.ts'
import { exactUsd } from '../../../src/site/models/money.ts'
import type { Charged } from '../../../src/site/models/rates.ts'
import { catalogOf, tokenTerms } from '../feed/catalogs.ts'
import { figuresOf, type ModelFigures } from '../status/figures.ts'

const factsOf = async ({ groups }: Catalog, figures: readonly ModelFigures[] = [], most = 12) => {
  const models = await inSlices(modelsOf(groups))
  return inSlices(frontFacts({ groups, models, figures: figuresOf(figures), most }))
}

const models = ['a', 'b', 'c'].map((id) => ({ id, terms: tokenTerms(1_000_000, 2_500_000) }))

test('a model shows the lowest price that any group has for it, as the price feed has it', async () => {
  const catalog = catalogOf(
    [
      { name: 'dear', multiplierMillionths: 2_000_000 },
      { name: 'cheap', multiplierMillionths: 150_000 },
    ],
    [...models, { id: 'image', terms: { unit: 'call', perCallNano: 40_000_000 } }],
  )
  const { rows, modelCount, groups } = await factsOf(catalog)
  expect(modelCount).toBe(4)
  expect(groups.map(({ name, models }) => [name, models])).toEqual([
    ['cheap', 4],
    ['dear', 4],
  ])
  const rates = ['0.15', '0.375']
  expect(rows.map(({ model }) => model.name)).toEqual(['a', 'b', 'c', 'image'])
  expect(rows.map(({ charged }) => pricesOf(charged))).toEqual([rates, rates, rates, ['0.006']])
})

function pricesOf(charged: Charged): readonly string[] {
  if (charged.unit === 'call') return [exactUsd(charged.price)]
  const { input, output } = charged.unit === 'tokens' ? charged.tiers[0].rates : {}
  return [input, output].flatMap((price) => (price ? [exactUsd(price)] : []))
}

test('the most used models come first, counted in all groups', async () => {
  const catalog = catalogOf([{ name: 'one' }, { name: 'two' }], models)
  const used = (groupId: number, model: string, succeeded: number): ModelFigures => ({
    ...{ groupId, model, counts: { '24h': { succeeded } } },
  })
  const figures = [used(1, 'b', 5), used(1, 'c', 4), used(2, 'c', 4)]
  const { rows } = await factsOf(catalog, figures, 2)
  expect(rows.map(({ model }) => model.name)).toEqual(['c', 'b'])
})

test('what nobody can call now is not offered, and a group that is off is not shown', async () => {
  const catalog = catalogOf(
    [
      { name: 'without', hasChannel: false },
      { name: 'off', status: 'disabled' },
    ],
    models,
  )
  const facts = await factsOf(catalog)
  expect(facts.modelCount).toBe(0)
  expect(facts.groups.map(({ name }) => name)).toEqual(['without'])
})
