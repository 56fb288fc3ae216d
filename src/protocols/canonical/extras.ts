import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { type HostedTool, hostedTools } from './tools.ts'
import { readCount, type Usage, type UsageExtras } from './usage.ts'

/** Uses of tools, by name. */
export type ToolCounts = { readonly [tool in HostedTool]?: number }

/** LLM tokens that are no text, by kind. */
export type Modalities = NonNullable<UsageExtras['modalities']>
export type Modality = keyof Modalities

/**
 * What the reports of one answer tell beside text tokens. Those of input include what was read from
 * a cache, as all vendors count.
 */
export interface ReportedExtras {
  /** '' where the report says that it was the standard one. */
  readonly tier: string | undefined
  /** By the vendor's own count; 0 is one, too. */
  readonly tools: ToolCounts | undefined
  readonly modalities: Modalities | undefined
  /** What of tools and tier was seen in the answer itself, outside of its report. */
  readonly observed: ObservedExtras | undefined
}

/** What a report tells beside text tokens; undefined when that is nothing. */
export function reportedExtras(
  report: JsonObject,
  told: {
    tier?: string | undefined
    tools?: ToolCounts | undefined
    modalities?: Modalities | undefined
  },
): ReportedExtras | undefined {
  const { tier, tools, modalities } = told
  const observed = readObserved(report)
  return (tier ?? tools ?? modalities ?? observed) === undefined
    ? undefined
    : { tier, tools, modalities, observed }
}

/** What an answer shows of tools and of its tier beside its usage report. */
export interface ObservedExtras {
  /** '' where it says that it was the standard one; undefined: it does not say. */
  readonly tier?: string | undefined
  readonly tools?: ToolCounts | undefined
}

/** Lays a report over what the ones before it told: counts are cumulative, the larger one wins. */
export function mergeExtras(
  seen: ReportedExtras | undefined,
  found: ReportedExtras | undefined,
): ReportedExtras | undefined {
  if (seen === undefined || found === undefined) return found ?? seen
  return {
    tier: found.tier ?? seen.tier,
    tools: largerOfEach(seen.tools, found.tools),
    modalities: largerOfEach(seen.modalities, found.modalities),
    observed: found.observed ?? seen.observed,
  }
}

function largerOfEach<Counts extends { readonly [name: string]: number | undefined }>(
  a: Counts | undefined,
  b: Counts | undefined,
): Counts | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const larger: Record<string, number | undefined> = { ...a }
  for (const [name, count] of Object.entries(b)) {
    larger[name] = Math.max(larger[name] ?? 0, count ?? 0)
  }
  return larger as Counts
}

/** Counts of LLM tokens with what was billed beside them; the very same object without. */
export function withExtras(usage: Usage, seen: ReportedExtras | undefined): Usage {
  const extras = seen && extrasOf(usage, seen)
  return extras === undefined ? usage : { ...usage, extras }
}

/** LLM tokens alone: what a client of another protocol gets. */
export function withoutExtras<Counts extends Usage | undefined>(usage: Counts): Counts {
  if (usage?.extras === undefined) return usage
  const { extras: _, ...tokens } = usage
  return tokens as Counts
}

function extrasOf(usage: Usage, seen: ReportedExtras): UsageExtras | undefined {
  const { observed } = seen
  const tier = seen.tier || observed?.tier
  const tools = used({ ...observed?.tools, ...seen.tools })
  const modalities = seen.modalities && used(disjoint(usage, seen.modalities))
  if (!tier && tools === undefined && modalities === undefined) return undefined
  return {
    ...(modalities && { modalities }),
    ...(tools && { tools }),
    ...(tier && { tier }),
  }
}

/** Only what there is some of. */
function used<Counts extends { readonly [name: string]: number | undefined }>(
  counts: Counts | undefined,
): Counts | undefined {
  if (counts === undefined) return undefined
  const entries = Object.entries(counts).filter(([, count]) => (count ?? 0) > 0)
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Counts)
}

/**
 * Each a part of the disjoint count that it belongs to. Where a vendor does not say what of a kind
 * was read from the cache, as little as possible was.
 */
function disjoint(usage: Usage, told: Modalities): Modalities {
  const parts: { [modality in Modality]?: number } = {}
  let fresh = usage.inputTokens
  let read = usage.cacheReadTokens
  let out = usage.outputTokens
  for (const [input, cacheRead, output] of kinds) {
    const whole = told[input] ?? 0
    const uncached = Math.min(Math.max(0, whole - (told[cacheRead] ?? 0)), fresh)
    const cached = Math.min(Math.max(whole - uncached, told[cacheRead] ?? 0), read)
    const made = Math.min(told[output] ?? 0, out)
    parts[input] = uncached
    parts[cacheRead] = cached
    parts[output] = made
    fresh -= uncached
    read -= cached
    out -= made
  }
  return parts
}

const kinds = [
  ['inputAudio', 'cacheReadAudio', 'outputAudio'],
  ['inputImage', 'cacheReadImage', 'outputImage'],
  ['inputVideo', 'cacheReadVideo', 'outputVideo'],
] as const

/** The name of the field that a kept report has for what was seen beside it. */
export const observedField = 'observed'

/** What a kept report says was seen beside it. */
function readObserved(report: JsonObject): ObservedExtras | undefined {
  const wire = report[observedField]
  if (!isJsonObject(wire)) return undefined
  const { tier, tools } = wire
  return {
    tier: typeof tier === 'string' ? tier : undefined,
    tools: isJsonObject(tools) ? readTools(tools) : undefined,
  }
}

function readTools(wire: JsonObject): ToolCounts | undefined {
  let counts: ToolCounts | undefined
  for (const tool of hostedTools) counts = plus(counts, tool, wire[tool])
  return counts
}

/**
 * Counts by name with one more, as a report has it. Most reports say that there was nothing: `counts`
 * stay undefined for that, but where it is held against what was seen (`keepsZero`).
 */
export function plus<Counts extends { readonly [name: string]: number | undefined }>(
  counts: Counts | undefined,
  name: keyof Counts & string,
  wire: unknown,
  keepsZero = false,
): Counts | undefined {
  const count = readCount(wire)
  if (count === undefined || (count === 0 && !keepsZero)) return counts
  return { ...counts, [name]: (counts?.[name] ?? 0) + count } as Counts
}

/** Whether a report is one that something was seen beside. */
export const hasObserved = (report: JsonObject) => report[observedField] !== undefined

/** Vendors' words for the tier of requests that ask for none, and for what was paid beforehand. */
const standardTiers = new Set([
  ...['default', 'standard', 'standard_only', 'on_demand', 'on-demand', 'provisioned', 'global'],
  ...['not_available'],
])

/** Words that leave the tier open. */
const openTiers = new Set(['', 'auto', 'unspecified'])

/**
 * A tier by one name over all vendors: '' for the standard one; undefined when none is named, or the
 * vendor shall choose. `names` are the vendor's own words for some; Gemini's have its type before them.
 */
export function tierName(wire: unknown, names?: ReadonlyMap<string, string>): string | undefined {
  if (typeof wire !== 'string') return undefined
  const word = wire.toLowerCase().replace(/^service_tier_/, '')
  const name = names?.get(word) ?? word
  if (openTiers.has(name)) return undefined
  return standardTiers.has(name) ? '' : name
}

/** Several tiers that hold at once, as one name. */
export const joinTiers = (tiers: readonly (string | undefined)[]): string | undefined =>
  tiers.every((tier) => tier === undefined) ? undefined : tiers.filter(Boolean).join('+')
