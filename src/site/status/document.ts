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
import type { AvailabilityCounts } from '../../store/ports/availability.ts'
import type { StatusGroup } from './schema.ts'

/** With fewer requests, the last minutes tell less than the last hour. */
const enoughRequests = 5
const operationalFrom = 0.95
const downBelow = 0.5

/** So many models of a group are listed where nobody asks for that group. */
const listedModels = 50
const modelsPerStep = 50

export interface StatusParts {
  readonly groups: Catalog['groups']
  readonly figures: AvailabilityFigures
  readonly nowMs: number
  /** Only this group, with all its models; undefined: all groups, each with those asked for most. */
  readonly onlyGroup?: number | undefined
}

/** The status as JSON text. Yields after each few models, for `inSlices`. */
export function* encodeStatus(parts: StatusParts): Generator<void, string> {
  const { groups, nowMs, onlyGroup } = parts
  const encoded: string[] = []
  for (const group of [...groups.values()].sort((a, b) => compareCodePoints(a.name, b.name))) {
    const isAsked = onlyGroup === undefined || onlyGroup === group.id
    if (group.enabled && isAsked) encoded.push(yield* encodeGroup(group, parts))
  }
  const time = new Date(nowMs).toISOString()
  const data = `{"generated_at":"${time}","groups":[${encoded.join(',')}]}`
  return `{"code":0,"message":"success","data":${data}}`
}

function* encodeGroup(group: Group, { figures, onlyGroup }: StatusParts): Generator<void, string> {
  const { id, name, platform, offers } = group
  const asked = [...figures.models(id)].filter((model) => offers.has(model))
  const listed = onlyGroup === undefined ? yield* mostAsked(asked, id, figures) : asked
  const about: Omit<StatusGroup, 'models'> = {
    id,
    name,
    platform,
    ...encodeFigures((window) => figures.counts(window, id)),
    hours: [...figures.bars('24h', id)],
    days: [...figures.bars('90d', id)],
    models_total: asked.length,
  }
  const models: string[] = []
  for (const model of listed.sort(compareCodePoints)) {
    const of = encodeFigures((window) => figures.counts(window, id, model))
    models.push(JSON.stringify({ name: model, ...of }))
    if (models.length % modelsPerStep === 0) yield
  }
  yield
  return `${JSON.stringify(about).slice(0, -1)},"models":[${models.join(',')}]}`
}

/** Those with the most requests in the last 24 hours. */
function* mostAsked(
  models: readonly string[],
  groupId: number,
  figures: AvailabilityFigures,
): Generator<void, string[]> {
  const counted: { readonly model: string; readonly day: number; readonly ever: number }[] = []
  for (const model of models) {
    const requests = (window: WindowName) =>
      requestsOf(figures.counts(window, groupId, model) ?? none)
    counted.push({ model, day: requests('24h'), ever: requests('90d') })
    if (counted.length % modelsPerStep === 0) yield
  }
  counted.sort((a, b) => b.day - a.day || b.ever - a.ever || compareCodePoints(a.model, b.model))
  return counted.slice(0, listedModels).map(({ model }) => model)
}

const none: AvailabilityCounts = emptyCounts()

type CountsOf = (window: WindowName) => AvailabilityCounts | undefined

function encodeFigures(
  countsOf: CountsOf,
): Pick<StatusGroup, 'state' | 'availability' | 'first_byte_ms' | 'tokens_per_second'> {
  const span = (window: WindowName) => {
    const counts = countsOf(window) ?? none
    return { requests: requestsOf(counts), ratio: availabilityOf(counts) }
  }
  const day = countsOf('24h') ?? none
  return {
    state: stateOf(countsOf),
    availability: { '1h': span('1h'), '24h': span('24h'), '7d': span('7d'), '90d': span('90d') },
    first_byte_ms: { p50: firstByteQuantile(day, 0.5), p95: firstByteQuantile(day, 0.95) },
    tokens_per_second: tokensPerSecond(day),
  }
}

function stateOf(countsOf: CountsOf): StatusGroup['state'] {
  const latest = countsOf('5m') ?? none
  const counts = requestsOf(latest) >= enoughRequests ? latest : (countsOf('1h') ?? none)
  const ratio = availabilityOf(counts)
  if (ratio === null) return 'no_data'
  if (ratio < downBelow) return 'down'
  return ratio < operationalFrom ? 'degraded' : 'operational'
}
