import type { Modality } from './canonical/extras.ts'
import type { HostedTool } from './canonical/tools.ts'
import { isJsonObject } from './json.ts'
import { findSelectors, type ModelSelector } from './model-selectors.ts'
import type { JsonObject } from './protocol.ts'

/** Where a member stands in a body: names and indexes from the top. */
export type Path = readonly (string | number)[]

/** What a request asks of the vendor that is billed beside its text, or otherwise than it. */
export interface RequestExtras {
  readonly hostedTools: readonly HostedToolAsk[]
  /** Service tiers that are named, but for the standard one: each may be granted or not. */
  readonly tiers: readonly TierAsk[]
  /** Kinds of answers beside text. */
  readonly outputs: readonly OutputAsk[]
  /** Fields that name a model, other than the one that is asked for. */
  readonly models: readonly ModelSelector[]
  /** What chooses among an upstream's own sellers of the model, whose prices differ. */
  readonly routing: readonly Path[]
}

/** A tool that the vendor shall run. */
export interface HostedToolAsk {
  /** Undefined: of a kind that has no price anywhere. */
  readonly tool: HostedTool | undefined
  readonly path: Path
  /** The model can't answer without it. */
  readonly isForced: boolean
  /** Each answer is one use of it, whether or not that shows. */
  readonly isAlways?: boolean
  /** Other places that name it. */
  readonly mentions: readonly Path[]
}

export interface TierAsk {
  readonly tier: string
  readonly path: Path
}

interface OutputAsk {
  readonly modality: Modality
  readonly path: Path
}

/** The tool that a kind is, by how its name begins. Names that are longer than any are none. */
export function namedTool(
  kinds: readonly (readonly [kind: RegExp, tool: HostedTool])[],
  kind: string,
): HostedTool | undefined {
  if (kind.length > longestKind) return undefined
  return kinds.find(([pattern]) => pattern.test(kind))?.[1]
}

const longestKind = 64

/** Upstreams that read names without regard to case would find another kind of tool than this. */
export function hasTwoKinds(tool: JsonObject): boolean {
  for (const name in tool) {
    if (name.length === 4 && name !== 'type' && name !== 'name' && name.toLowerCase() === 'type') {
      return true
    }
  }
  return false
}

/** A path as a person writes it: `tools[0].googleSearch`. */
export const pathText = (path: Path): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index > 0 ? `.${step}` : step))
    .join('')

/** What a protocol reads by itself. */
interface OwnExtras {
  readonly hostedTools?: readonly HostedToolAsk[]
  readonly tiers?: readonly TierAsk[]
  readonly outputs?: readonly OutputAsk[]
}

const nothing: readonly never[] = []

/** The extras of a request; undefined when there are none, as of most. */
export function requestExtras(body: JsonObject, own: OwnExtras): RequestExtras | undefined {
  const { hostedTools = nothing, tiers = nothing, outputs = nothing } = own
  const models = findSelectors(body)
  const routing = findRouting(body)
  const count = hostedTools.length + tiers.length + outputs.length + models.length + routing.length
  return count === 0 ? undefined : { hostedTools, tiers, outputs, models, routing }
}

const modalityNames = new Map<unknown, Modality>([
  ['audio', 'outputAudio'],
  ['image', 'outputImage'],
  ['video', 'outputVideo'],
])

/** Answers beside text that a list of modalities names, or one word in its place. */
export function outputsIn(list: unknown, path: Path): readonly OutputAsk[] {
  const isList = Array.isArray(list)
  if (!isList && typeof list !== 'string') return nothing
  return [list].flat().flatMap((name: unknown, index) => {
    const modality = modalityNames.get(typeof name === 'string' ? name.toLowerCase() : name)
    return modality === undefined ? [] : [{ modality, path: isList ? [...path, index] : path }]
  })
}

/** Where such upstreams (OpenRouter, Vercel) read what seller shall answer. */
const routingPlaces: readonly Path[] = [
  ['provider'],
  ['providerOptions', 'gateway'],
  ['provider_options', 'gateway'],
]

/** What of it rules no seller in or out by itself, or is a matter of privacy. */
const harmlessRouting = new Set([
  ...['allow_fallbacks', 'require_parameters', 'data_collection', 'zdr', 'zeroDataRetention'],
  ...['max_price', 'models'],
])

function findRouting(body: JsonObject): readonly Path[] {
  const found: Path[] = []
  for (const place of routingPlaces) {
    if (body[`${place[0]}`] === undefined) continue
    let holder: unknown = body
    for (const step of place) holder = isJsonObject(holder) ? holder[step] : undefined
    if (!isJsonObject(holder)) continue
    for (const name of Object.keys(holder)) {
      if (!harmlessRouting.has(name)) found.push([...place, name])
    }
  }
  return found
}
