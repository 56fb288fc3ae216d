import { isJsonObject } from '../json.ts'
import { type ObservedExtras, observedField } from './extras.ts'
import type { Observation } from './observation.ts'
import { readCount, type Usage } from './usage.ts'

/** How a protocol reads its usage reports: what it counts, and how one report adds to that. */
export interface UsageReports<Counts> {
  createCounts(): Counts
  /** Folds a report into `counts`; undefined (and nothing changed) when it has no count in it. */
  fold(counts: Counts, wire: unknown): Usage | undefined
  /** A report with one of these says what the input was, or the output: an explicit 0 does. */
  readonly inputFields: readonly string[]
  readonly outputFields: readonly string[]
}

/** An upstream that takes its counts back more often than this is not worth the memory. */
const maxReports = 64

/**
 * Folds a usage report into `counts`, and keeps what it amounts to and the report itself for the
 * receipt. Reports of one stream are laid over each other: later ones may leave out what earlier
 * ones said. Where that would hide a larger count both are kept, as a list (Gemini may end with
 * fewer input tokens than it began with): what is stored decodes to what is charged. To be called
 * when the text that came with the report is noted.
 */
export function noteUsage<Counts>(
  seen: Observation,
  counts: Counts,
  report: unknown,
  reports: UsageReports<Counts>,
): void {
  const wire = withObserved(report, seen.observed)
  const usage = reports.fold(counts, wire)
  if (usage === undefined) return
  seen.counted = seen.observed
  noteTold(seen, wire, reports)
  seen.usage = usage
  const { usageRaw } = seen
  seen.usageRaw = usageRaw === undefined ? wire : join(usageRaw, wire, counts, reports)
}

/** What was seen beside a report is kept in it, so that it decodes to what is charged. */
function withObserved(report: unknown, observed: ObservedExtras | undefined): unknown {
  const isPlain = !observed?.tier && observed?.tools === undefined
  return isPlain || !isJsonObject(report) ? report : { ...report, [observedField]: observed }
}

/** Counts what was seen beside a report that had come already. */
export function noteObserved<Counts>(
  seen: Observation,
  counts: Counts,
  reports: UsageReports<Counts>,
): void {
  if (seen.usage === undefined || seen.observed === seen.counted) return
  seen.counted = seen.observed
  const list = listOf(seen.usageRaw)
  const last = withObserved(list.at(-1), seen.observed)
  seen.usage = reports.fold(counts, last) ?? seen.usage
  seen.usageRaw = list.length > 1 ? [...list.slice(0, -1), last] : last
}

/** What no report has told, somebody else must count. */
function noteTold<Counts>(seen: Observation, wire: unknown, reports: UsageReports<Counts>): void {
  const isFirst = seen.usage === undefined
  const tells = (fields: readonly string[]) =>
    isJsonObject(wire) && fields.some((field) => readCount(wire[field]) !== undefined)
  seen.lacksInput = (isFirst || seen.lacksInput) && !tells(reports.inputFields)
  if (tells(reports.outputFields)) seen.reportedLength = seen.text.length
  else if (isFirst) seen.reportedLength = 0
}

/** What a stored report amounts to, one or a list of them; undefined when it has no count in it. */
export function decodeUsage<Counts>(
  raw: unknown,
  reports: UsageReports<Counts>,
): Usage | undefined {
  return foldAll(raw, reports).usage
}

function foldAll<Counts>(raw: unknown, reports: UsageReports<Counts>) {
  const counts = reports.createCounts()
  let usage: Usage | undefined
  for (const report of listOf(raw)) usage = reports.fold(counts, report) ?? usage
  return { counts, usage }
}

/** The shortest form that folds to `counts`: one report, else as few as possible. */
function join<Counts>(
  raw: unknown,
  wire: unknown,
  counts: Counts,
  reports: UsageReports<Counts>,
): unknown {
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

/** Counts are numbers, words, or objects of such. */
function isSame(a: unknown, b: unknown): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b
  if (Object.keys(a).length !== Object.keys(b).length) return false
  for (const field in a) if (!isSame(a[field], b[field])) return false
  return true
}
