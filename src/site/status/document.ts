import {
  type AvailabilityFigures,
  availabilityOf,
  emptyCounts,
  firstByteQuantile,
  requestsOf,
  tokensPerSecond,
  type WindowName,
} from '../../catalog/availability.ts'
import type { Catalog, Group } from '../../catalog/catalog.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import { stateOf } from '../../look/states.ts'
import type { AvailabilityCounts } from '../../store/ports/availability.ts'
import type { StatusGroup, StatusModel } from './schema.ts'

/** With fewer requests, the last hour says more than the last minutes. */
const enoughRequests = 5

export const modelsPerStep = 50

/** Enabled groups, by name. */
export const shownGroups = (groups: Catalog['groups']): readonly Group[] =>
  [...groups.values()]
    .filter(({ enabled }) => enabled)
    .sort((a, b) => compareCodePoints(a.name, b.name))

/** Models of a group with requests in the longest window that it still sells. */
export const askedModels = ({ id, offers }: Group, figures: AvailabilityFigures) =>
  [...figures.models(id)].filter((model) => offers.has(model))

/** Figures of a group without its models. */
export function groupFigures(
  { id, name, platform }: Group,
  figures: AvailabilityFigures,
  modelsTotal: number,
): Omit<StatusGroup, 'models'> {
  return {
    ...{ id, name, platform },
    ...encodeFigures((window) => figures.counts(window, id)),
    hours: [...figures.bars('24h', id)],
    days: [...figures.bars('90d', id)],
    models_total: modelsTotal,
  }
}

export const modelFigures = (
  model: string,
  groupId: number,
  figures: AvailabilityFigures,
): StatusModel => ({
  name: model,
  ...encodeFigures((window) => figures.counts(window, groupId, model)),
})

/** The models with the most requests in the last 24 hours. */
export function* mostAsked(
  models: readonly string[],
  groupId: number,
  figures: AvailabilityFigures,
  most: number,
): Generator<void, string[]> {
  const counted: { readonly model: string; readonly day: number; readonly ever: number }[] = []
  for (const model of models) {
    const requests = (window: WindowName) =>
      requestsOf(figures.counts(window, groupId, model) ?? none)
    counted.push({ model, day: requests('24h'), ever: requests('90d') })
    if (counted.length % modelsPerStep === 0) yield
  }
  counted.sort((a, b) => b.day - a.day || b.ever - a.ever || compareCodePoints(a.model, b.model))
  return counted.slice(0, most).map(({ model }) => model)
}

const none: AvailabilityCounts = emptyCounts()

type CountsOf = (window: WindowName) => AvailabilityCounts | undefined

/** The figures of what `countsOf` counts. */
export function encodeFigures(
  countsOf: CountsOf,
): Pick<StatusGroup, 'state' | 'availability' | 'first_byte_ms' | 'tokens_per_second'> {
  const span = (window: WindowName) => {
    const counts = countsOf(window) ?? none
    return { requests: requestsOf(counts), ratio: availabilityOf(counts) }
  }
  const day = countsOf('24h') ?? none
  return {
    state: stateOf(availabilityOf(latestCounts(countsOf).counts)),
    availability: { '1h': span('1h'), '24h': span('24h'), '7d': span('7d'), '90d': span('90d') },
    first_byte_ms: { p50: firstByteQuantile(day, 0.5), p95: firstByteQuantile(day, 0.95) },
    tokens_per_second: tokensPerSecond(day),
  }
}

/** The counts that decide the present state, and their window. */
export function latestCounts(countsOf: CountsOf): {
  readonly window: '5m' | '1h'
  readonly counts: AvailabilityCounts
} {
  const latest = countsOf('5m') ?? none
  return requestsOf(latest) >= enoughRequests
    ? { window: '5m', counts: latest }
    : { window: '1h', counts: countsOf('1h') ?? none }
}

/** Models listed for each group, unless one group alone is requested. */
const listedModels = 50

interface StatusParts {
  readonly groups: Catalog['groups']
  readonly figures: AvailabilityFigures
  readonly nowMs: number
  /** This group alone, with all its models; undefined: all groups with their busiest models. */
  readonly onlyGroup?: number | undefined
}

/** The status as JSON text. Yields after each few models, for `inSlices`. */
export function* encodeStatus(parts: StatusParts): Generator<void, string> {
  const { groups, nowMs, onlyGroup } = parts
  const encoded: string[] = []
  for (const group of shownGroups(groups)) {
    const isAsked = onlyGroup === undefined || onlyGroup === group.id
    if (isAsked) encoded.push(yield* encodeGroup(group, parts))
  }
  const time = new Date(nowMs).toISOString()
  const data = `{"generated_at":"${time}","groups":[${encoded.join(',')}]}`
  return `{"code":0,"message":"success","data":${data}}`
}

function* encodeGroup(group: Group, { figures, onlyGroup }: StatusParts): Generator<void, string> {
  const { id } = group
  const asked = askedModels(group, figures)
  const listed =
    onlyGroup === undefined ? yield* mostAsked(asked, id, figures, listedModels) : [...asked]
  const about = groupFigures(group, figures, asked.length)
  const models: string[] = []
  for (const model of listed.sort(compareCodePoints)) {
    models.push(JSON.stringify(modelFigures(model, id, figures)))
    if (models.length % modelsPerStep === 0) yield
  }
  yield
  return `${JSON.stringify(about).slice(0, -1)},"models":[${models.join(',')}]}`
}
