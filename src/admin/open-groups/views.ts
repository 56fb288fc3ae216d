import { type Static, Type } from '@sinclair/typebox'
import { formatDecimal, multiplierDecimals } from '../../billing/money.ts'
import type { AvailabilityFigures } from '../../catalog/availability.ts'
import type { Catalog, Group } from '../../catalog/catalog.ts'
import { abilitiesOf } from '../../catalog/model-abilities.ts'
import type { Clock } from '../../lib/clock.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import { inSlices } from '../../lib/slices.ts'
import { suggestedModels } from './suggested.ts'

/** A group that a token can belong to. */
export const OpenGroup = Type.Object({
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
})
type OpenGroup = Static<typeof OpenGroup>

interface GroupView {
  readonly group: Group
  readonly view: OpenGroup
}

export interface GroupViewParts {
  readonly catalog: () => Catalog
  /** Calls `work` with the current figures, which hold until it ends. */
  readonly look: <Result>(
    work: (figures: AvailabilityFigures) => Result | Promise<Result>,
  ) => Promise<Result>
}

export type GroupViews = ReturnType<typeof createGroupViews>

/** Figures in views are at most so old; a change of the catalog applies at once. */
const maxAgeMs = 15_000

/** Views of all enabled groups, cheapest first: made once for all who ask, as there may be very many models. */
export function createGroupViews(
  { catalog, look }: GroupViewParts,
  tick: Clock = () => performance.now(),
) {
  type Views = readonly GroupView[]
  let made: { of: Catalog['groups']; atTick: number; views: Promise<Views> } | undefined
  return (): Promise<Views> => {
    const { groups } = catalog()
    if (made?.of === groups && tick() - made.atTick < maxAgeMs) return made.views
    const views = look((figures) => inSlices(viewsOf(groups, figures)))
    made = { of: groups, atTick: tick(), views }
    views.catch(() => {
      made = undefined // whoever asked learns of it
    })
    return views
  }
}

function* viewsOf(
  groups: Catalog['groups'],
  figures: AvailabilityFigures,
): Generator<void, readonly GroupView[]> {
  const enabled = [...groups.values()].filter((group) => group.enabled)
  enabled.sort(
    (a, b) => a.multiplierMillionths - b.multiplierMillionths || compareCodePoints(a.name, b.name),
  )
  const views: GroupView[] = []
  for (const group of enabled) views.push({ group, view: yield* viewOf(group, figures) })
  return views
}

const modelsPerStep = 50

function* viewOf(group: Group, figures: AvailabilityFigures): Generator<void, OpenGroup> {
  const { name, description, platform, multiplierMillionths } = group
  const models: string[] = []
  for (const { model, candidates } of group.offers.values())
    if (candidates.length > 0) models.push(model)
  models.sort(compareCodePoints)
  const image_models: string[] = []
  for (const [at, model] of models.entries()) {
    if (abilitiesOf(model).input.includes('image')) image_models.push(model)
    if (at % modelsPerStep === 0) yield
  }
  const suggested = suggestedModels(group, figures)
  yield
  const rate_multiplier = formatDecimal(multiplierMillionths, multiplierDecimals)
  return { name, description, platform, models, suggested, rate_multiplier, image_models }
}
