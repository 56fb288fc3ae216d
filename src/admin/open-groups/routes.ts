import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { formatDecimal, multiplierDecimals } from '../../billing/money.ts'
import type { AvailabilityFigures } from '../../catalog/availability.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { abilitiesOf } from '../../catalog/model-abilities.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import { type Member, mayUse } from '../../store/ports/group-access.ts'
import type { Guard } from '../access.ts'
import { forUsers, success } from '../envelope.ts'
import { suggestedModels } from './suggested.ts'

export const OpenGroups = Type.Object({
  items: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      platform: Type.String(),
      rate_multiplier: Type.String({ description: 'Every base price is multiplied by it.' }),
      models: Type.Array(Type.String(), { description: 'What can be called now.' }),
      image_models: Type.Array(Type.String(), {
        description: 'Those of them that are known to take images.',
      }),
      suggested: Type.Array(Type.String(), {
        description: 'The first of them to try: the most used that work; at most 20.',
      }),
    }),
  ),
})
export type OpenGroups = Static<typeof OpenGroups>

/** Enabled groups that an account may use, cheapest first, as in the model plaza. */
function openGroups(
  { groups }: Catalog,
  account: Member,
  figures: AvailabilityFigures,
): OpenGroups {
  const open = [...groups.values()].filter(
    ({ enabled, accounts }) => enabled && mayUse(accounts, account),
  )
  open.sort(
    (a, b) => a.multiplierMillionths - b.multiplierMillionths || compareCodePoints(a.name, b.name),
  )
  return {
    items: open.map(({ id, name, description, platform, multiplierMillionths, offers }) => {
      const models = [...offers.values()]
        .filter(({ candidates }) => candidates.length > 0)
        .map(({ model }) => model)
        .sort(compareCodePoints)
      return {
        ...{ name, description, platform, models },
        suggested: suggestedModels({ id, offers }, figures),
        rate_multiplier: formatDecimal(multiplierMillionths, multiplierDecimals),
        image_models: models.filter((model) => abilitiesOf(model).input.includes('image')),
      }
    }),
  }
}

export interface OpenGroupParts {
  readonly catalog: () => Catalog
  /** Calls `work` with the current figures. */
  readonly look: <Result>(work: (figures: AvailabilityFigures) => Result) => Promise<Result>
}

/** Pages of groups that an account may use and that are not public, as JSON text. */
export interface OwnPages {
  readonly plazaFor: (account: Member) => Promise<string>
  /** `group`: only this group, with all its models. */
  readonly statusFor: (account: Member, group: string | undefined) => Promise<string>
}

const json = (text: string) =>
  new Response(text, { headers: { 'content-type': 'application/json' } })

/** Groups that the user's tokens can belong to, with prices and status that are not public. */
export const openGroupRoutes = (
  guard: Guard,
  { catalog, look }: OpenGroupParts,
  { plazaFor, statusFor }: OwnPages,
) =>
  new Elysia({ name: 'admin.open-groups', prefix: '/api/v1/groups' })
    .use(guard('user'))
    .get('', ({ who }) => look((figures) => success(openGroups(catalog(), who, figures))), {
      ...forUsers(OpenGroups, 'Groups that a token can belong to'),
    })
    .get('/plaza', async ({ who }) => json(await plazaFor(who)), {
      detail: {
        tags: ['Console'],
        summary: 'Prices of groups for own use that the public model plaza does not show',
      },
    })
    .get('/status', async ({ who, query }) => json(await statusFor(who, query.group)), {
      query: Type.Object({ group: Type.Optional(Type.String({ maxLength: 200 })) }),
      detail: {
        tags: ['Console'],
        summary: 'Status of groups for own use that the public status does not show',
      },
    })
