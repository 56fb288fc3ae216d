import { expect, test } from 'bun:test'
import { suggestedModels } from '../../../src/admin/open-groups/suggested.ts'
import { emptyCounts } from '../../../src/catalog/availability.ts'
import type { Group } from '../../../src/catalog/catalog.ts'

type Counted = Readonly<Record<string, { readonly succeeded: number; readonly failed?: number }>>

/** What is suggested of these models, by what was counted in the last day and the last hour. */
function suggestedOf(models: readonly string[], day: Counted, hour: Counted = {}) {
  const offers = new Map(
    models.map((model) => [model, { model, candidates: model === 'closed' ? [] : [{}] }]),
  )
  return suggestedModels({ id: 1, offers } as unknown as Pick<Group, 'id' | 'offers'>, {
    counts(window, group, model = '') {
      const found = (window === '1h' ? hour : day)[model]
      if (group !== 1 || found === undefined) return undefined
      const { succeeded, failed = 0 } = found
      return { ...emptyCounts(), succeeded, failed: { upstream: failed } }
    },
  })
}

test('the most used model comes first, unused ones by name', () => {
  const used = { small: { succeeded: 3 }, large: { succeeded: 9 } }
  expect(suggestedOf(['b', 'a', 'small', 'large'], used)).toEqual(['large', 'small', 'a', 'b'])
})

test('what fails lately comes last, though it was used most', () => {
  const used = { broken: { succeeded: 900, failed: 9 }, fine: { succeeded: 1 } }
  const hour = { broken: { succeeded: 2, failed: 9 }, fine: { succeeded: 9, failed: 2 } }
  expect(suggestedOf(['broken', 'fine', 'new'], used, hour)).toEqual(['fine', 'new', 'broken'])
})

test('what no channel offers, and what answers no words, is not suggested', () => {
  const used = { closed: { succeeded: 9 }, 'text-embedding-3-small': { succeeded: 99 } }
  const models = ['closed', 'text-embedding-3-small', 'dall-e-3', 'words']
  expect(suggestedOf(models, used)).toEqual(['words'])
})

test('at most twenty', () => {
  expect(suggestedOf([...'abcdefghijklmnopqrstuvwxyz'], {})).toHaveLength(20)
})
