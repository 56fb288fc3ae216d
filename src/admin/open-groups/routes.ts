import { Elysia } from 'elysia'
import { formatDecimal, multiplierDecimals } from '../../billing/money.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import type { Guard } from '../access.ts'
import { Answer, success } from '../envelope.ts'
import { OpenGroups } from './schema.ts'

/** Enabled groups, the cheapest first, as the model plaza has them. */
function openGroups({ groups }: Catalog): OpenGroups {
  const open = [...groups.values()].filter(({ enabled }) => enabled)
  open.sort(
    (a, b) => a.multiplierMillionths - b.multiplierMillionths || compareCodePoints(a.name, b.name),
  )
  return {
    items: open.map(({ name, description, platform, multiplierMillionths, offers }) => ({
      ...{ name, description, platform },
      rate_multiplier: formatDecimal(multiplierMillionths, multiplierDecimals),
      models: [...offers.values()]
        .filter(({ candidates }) => candidates.length > 0)
        .map(({ model }) => model)
        .sort(compareCodePoints),
    })),
  }
}

/** What a token can be made for. */
export const openGroupRoutes = (guard: Guard, catalog: () => Catalog) =>
  new Elysia({ name: 'admin.open-groups', prefix: '/api/v1/groups' })
    .use(guard('user'))
    .get('', () => success(openGroups(catalog())), {
      response: { 200: Answer(OpenGroups) },
      detail: { tags: ['Console'], summary: 'Groups that a token can belong to' },
    })
