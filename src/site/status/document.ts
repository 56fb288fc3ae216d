import type { AvailabilityFigures } from '../../catalog/availability.ts'
import type { Catalog, Group } from '../../catalog/catalog.ts'
import { compareCodePoints } from '../../lib/table.ts'
import {
  askedModels,
  groupFigures,
  modelFigures,
  modelsPerStep,
  mostAsked,
  shownGroups,
} from './figures.ts'

/** So many models of a group are listed where nobody asks for that group. */
const listedModels = 50

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
