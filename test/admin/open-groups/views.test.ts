import { expect, test } from 'bun:test'
import { createGroupViews } from '../../../src/admin/open-groups/views.ts'
import type { AvailabilityFigures } from '../../../src/catalog/availability.ts'
import type { Catalog, Group } from '../../../src/catalog/catalog.ts'

const groupsOf = (names: readonly string[]): Catalog['groups'] =>
  new Map(
    names.map((name, id) => {
      const some = { id, name, enabled: name !== 'off', multiplierMillionths: 1_000_000 }
      return [id, { ...some, offers: new Map() } as unknown as Group]
    }),
  )

test('all who ask share one description, until the catalog changes or fifteen seconds are over', async () => {
  let looks = 0
  let now = 0
  let groups = groupsOf(['b', 'off', 'a'])
  const views = createGroupViews(
    {
      catalog: () => ({ groups }) as Catalog,
      look: async (work) => {
        looks++
        return work({ counts: () => undefined } as unknown as AvailabilityFigures)
      },
    },
    () => now,
  )
  const names = async () => (await views()).map(({ view }) => view.name)
  const asked = await Promise.all(Array.from({ length: 50 }, names))
  expect(new Set(asked.map(String))).toEqual(new Set(['a,b']))
  expect(looks).toBe(1)
  groups = groupsOf(['c'])
  expect(await names()).toEqual(['c'])
  now = 14_999
  await names()
  expect(looks).toBe(2)
  now = 15_000
  await names()
  expect(looks).toBe(3)
})
