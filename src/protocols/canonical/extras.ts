import { isJsonObject, wordSet } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import type { Observation } from './observation.ts'
import { type HostedTool, hostedTools } from './tools.ts'
import { larger, type Modality, readCount, type Usage, type UsageExtras } from './usage.ts'

export type ToolCounts = { readonly [tool in HostedTool]?: number }

export type Modalities = NonNullable<UsageExtras['modalities']>

/** What usage reports say besides text tokens. Input counts include cached tokens. */
export interface ReportedExtras {
  /** '' where the report names the standard tier. */
  readonly tier: string | undefined
  /** Counted by the vendor; 0 is a count, too. */
  readonly tools: ToolCounts | undefined
  readonly modalities: Modalities | undefined
  /** Tools and tier seen in the answer itself, outside its usage report. */
  readonly observed: ObservedExtras | undefined
}

/** A report's extras; undefined without any. */
export function reportedExtras(
  report: JsonObject,
  told: Partial<Omit<ReportedExtras, 'observed'>>,
): ReportedExtras | undefined {
  const { tier, tools, modalities } = told
  const observed = readObserved(report)
  return (tier ?? tools ?? modalities ?? observed) === undefined
    ? undefined
    : { tier, tools, modalities, observed }
}

export interface ObservedExtras {
  /** '' for the standard tier; undefined: not named. */
  readonly tier?: string | undefined
  readonly tools?: ToolCounts | undefined
}

/** Merges a report into earlier ones: counts are cumulative, the larger one wins. */
function mergeExtras(
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

/** Token counts with their extras; the same object without any. */
export function withExtras(usage: Usage, seen: ReportedExtras | undefined): Usage {
  const extras = seen && extrasOf(usage, seen)
  return extras === undefined ? usage : { ...usage, extras }
}

/** Token counts alone: what a client of another protocol gets. */
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

function used<Counts extends { readonly [name: string]: number | undefined }>(
  counts: Counts | undefined,
): Counts | undefined {
  if (counts === undefined) return undefined
  const entries = Object.entries(counts).filter(([, count]) => (count ?? 0) > 0)
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Counts)
}

/** Each modality as a part of its disjoint count. Where a vendor does not say, the cached share is minimal. */
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

const observedField = 'observed'

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

/** Adds 1 to a count by name. A zero is dropped, unless it must be compared with observations (`keepsZero`). */
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

export const hasObserved = (report: JsonObject) => report[observedField] !== undefined

/** Vendors' words for the standard tier, and for prepaid capacity. */
const standardTiers = wordSet(
  'default standard standard_only on_demand on-demand provisioned global not_available',
)

const openTiers = new Set(['', 'auto', 'unspecified'])

/** A tier's name across vendors: '' for the standard one; undefined: none is named. `names` maps vendor's words. */
export function tierName(wire: unknown, names?: ReadonlyMap<string, string>): string | undefined {
  if (typeof wire !== 'string') return undefined
  const word = wire.toLowerCase().replace(/^service_tier_/, '')
  const name = names?.get(word) ?? word
  if (openTiers.has(name)) return undefined
  return standardTiers.has(name) ? '' : name
}

/** Simultaneous tiers as one name. */
export const joinTiers = (tiers: readonly (string | undefined)[]): string | undefined =>
  tiers.every((tier) => tier === undefined) ? undefined : tiers.filter(Boolean).join('+')

export interface Counts {
  [name: string]: number | undefined
}

interface SeenCounts {
  readonly counts: Counts
  extras: ReportedExtras | undefined
}

export const createCounts = (): SeenCounts => ({ counts: {}, extras: undefined })

/** How a protocol reads its usage reports. */
export interface UsageReports {
  read(wire: JsonObject): Counts
  /** A report has at least one of these counts. */
  readonly needed: readonly string[]
  readExtras(wire: JsonObject): ReportedExtras | undefined
  sum(counts: Counts): Usage
  /** Replaces counts for which the largest value is not the right one. */
  replace?(counts: Counts, found: Counts): void
  /** A report with one of these covers the input, or the output: an explicit 0 counts. */
  readonly inputFields: readonly string[]
  readonly outputFields: readonly string[]
}

/** Folds a report into `seen`; undefined, without changes, when it has no count. */
export function foldUsage(
  reports: UsageReports,
  wire: unknown,
  seen: SeenCounts = createCounts(),
): Usage | undefined {
  if (!isJsonObject(wire)) return undefined
  const found = reports.read(wire)
  if (reports.needed.every((name) => found[name] === undefined)) return undefined
  const { counts } = seen
  reports.replace?.(counts, found)
  for (const name in found) counts[name] = larger(counts[name], found[name])
  seen.extras = mergeExtras(seen.extras, reports.readExtras(wire))
  return withExtras(reports.sum(counts), seen.extras)
}

/** Reports kept, at most: an upstream that lowers its counts more often is not worth the memory. */
const maxReports = 64

/**
 * Folds a usage report into `counts`, and stores it for the receipt. Reports of one stream are merged; where that
 * would hide a larger count both are kept, so that the stored form decodes to what is charged. Call it after
 * noting the text that came with the report.
 */
export function noteUsage(
  seen: Observation,
  counts: SeenCounts,
  report: unknown,
  reports: UsageReports,
): void {
  const wire = withObserved(report, seen.observed)
  const usage = foldUsage(reports, wire, counts)
  if (usage === undefined) return
  seen.counted = seen.observed
  noteCovered(seen, wire, reports)
  seen.usage = usage
  const { usageRaw } = seen
  seen.usageRaw = usageRaw === undefined ? wire : join(usageRaw, wire, counts, reports)
}

/** Stores observations in a report, so that it decodes to what is charged. */
function withObserved(report: unknown, observed: ObservedExtras | undefined): unknown {
  const isPlain = !observed?.tier && observed?.tools === undefined
  return isPlain || !isJsonObject(report) ? report : { ...report, [observedField]: observed }
}

/** Counts an observation that came after its report. */
export function noteObserved(seen: Observation, counts: SeenCounts, reports: UsageReports): void {
  if (seen.usage === undefined || seen.observed === seen.counted) return
  seen.counted = seen.observed
  const list = listOf(seen.usageRaw)
  const last = withObserved(list.at(-1), seen.observed)
  seen.usage = foldUsage(reports, last, counts) ?? seen.usage
  seen.usageRaw = list.length > 1 ? [...list.slice(0, -1), last] : last
}

/** Notes which sides no report covers: the gateway estimates them. */
function noteCovered(seen: Observation, wire: unknown, reports: UsageReports): void {
  const isFirst = seen.usage === undefined
  const tells = (fields: readonly string[]) =>
    isJsonObject(wire) && fields.some((field) => readCount(wire[field]) !== undefined)
  seen.lacksInput = (isFirst || seen.lacksInput) && !tells(reports.inputFields)
  if (tells(reports.outputFields)) seen.reportedLength = seen.text.length
  else if (isFirst) seen.reportedLength = 0
}

/** The usage of a stored report, one or a list of them; undefined without a count. */
export function decodeUsage(raw: unknown, reports: UsageReports): Usage | undefined {
  return foldAll(raw, reports).usage
}

function foldAll(raw: unknown, reports: UsageReports) {
  const counts = createCounts()
  let usage: Usage | undefined
  for (const report of listOf(raw)) usage = foldUsage(reports, report, counts) ?? usage
  return { counts, usage }
}

/** The shortest form that folds to `counts`: one report, else as few as possible. */
function join(raw: unknown, wire: unknown, counts: SeenCounts, reports: UsageReports): unknown {
  const list = listOf(raw)
  const fits = (form: unknown) => isSame(foldAll(form, reports).counts, counts)
  const one = [...list, wire].reduce(overlay)
  if (list.length >= maxReports || fits(one)) return one
  const overLast = [...list.slice(0, -1), overlay(list.at(-1), wire)]
  return overLast.length > 1 && fits(overLast) ? overLast : [...list, wire]
}

const listOf = (raw: unknown): readonly unknown[] => (Array.isArray(raw) ? raw : [raw])

const overlay = (under: unknown, over: unknown): unknown =>
  isJsonObject(under) && isJsonObject(over) ? { ...under, ...over } : over

/** Counts are numbers, words, or objects of these. */
function isSame(a: unknown, b: unknown): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b
  if (Object.keys(a).length !== Object.keys(b).length) return false
  for (const field in a) if (!isSame(a[field], b[field])) return false
  return true
}
