import {
  hasObserved,
  joinTiers,
  mergeExtras,
  plus,
  type ReportedExtras,
  reportedExtras,
  type ToolCounts,
  tierName,
  type UsageReports,
  withExtras,
} from '../canonical/extras.ts'
import type { ServiceTier } from '../canonical/request.ts'
import { larger, readCount, type Usage } from '../canonical/usage.ts'
import { arrayIn, isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The largest counts seen in one answer, and its last word on how long cache writes live. */
export interface MessagesCounts {
  input?: number | undefined
  output?: number | undefined
  thinking?: number | undefined
  cacheRead?: number | undefined
  cacheWrite?: number | undefined
  split?: CacheSplit | undefined
  extras?: ReportedExtras | undefined
}

interface CacheSplit {
  readonly fiveMinutes: number
  readonly oneHour: number
}

/**
 * Folds one usage report into `counts`; undefined when it has no count in it. The larger count wins.
 * `input_tokens` excludes cache reads and writes; `cache_creation` splits `cache_creation_input_tokens` by life.
 * `output_tokens` includes thinking. The sums are those of the `message` entries of `iterations`: `compaction`
 * entries, calls to the same model, are added; `advisor_message` entries are another model's, and are not.
 */
export function foldMessagesUsage(counts: MessagesCounts, wire: unknown): Usage | undefined {
  if (!isJsonObject(wire)) return undefined
  const reports = [wire, ...arrayIn(wire, 'iterations').filter(isCompaction)]
  const input = sum(reports, 'input_tokens')
  const output = sum(reports, 'output_tokens')
  const cacheRead = sum(reports, 'cache_read_input_tokens')
  const cacheWrite = sum(reports, 'cache_creation_input_tokens')
  const known = input ?? output ?? cacheRead ?? cacheWrite
  if (known === undefined) return undefined

  counts.input = larger(counts.input, input)
  counts.output = larger(counts.output, output)
  counts.cacheRead = larger(counts.cacheRead, cacheRead)
  counts.cacheWrite = larger(counts.cacheWrite, cacheWrite)
  counts.split = laterSplit(counts.split, reports)
  const thinking = objectIn(wire, 'output_tokens_details')?.thinking_tokens
  counts.thinking = larger(counts.thinking, readCount(thinking))
  counts.extras = mergeExtras(counts.extras, readExtras(wire))
  return withExtras(toUsage(counts), counts.extras)
}

/** A report names three kinds of tiers. Its searches and fetches are those that are billed. */
function readExtras(wire: JsonObject): ReportedExtras | undefined {
  const used = objectIn(wire, 'server_tool_use')
  const keepsZero = used !== undefined && hasObserved(wire)
  let tools: ToolCounts | undefined
  tools = plus(tools, 'web_search', used?.web_search_requests, keepsZero)
  tools = plus(tools, 'web_fetch', used?.web_fetch_requests, keepsZero)
  const { service_tier, speed, inference_geo } = wire
  const isSilent = (service_tier ?? speed ?? inference_geo ?? undefined) === undefined
  const tier = isSilent
    ? undefined
    : joinTiers([tierName(service_tier), tierName(speed), tierName(inference_geo)])
  return reportedExtras(wire, { tier, tools })
}

/** The usage reports of this protocol. */
export const messagesReports: UsageReports<MessagesCounts> = {
  createCounts: () => ({}),
  fold: foldMessagesUsage,
  inputFields: ['input_tokens'],
  outputFields: ['output_tokens'],
}

function isCompaction(entry: unknown): entry is JsonObject {
  return isJsonObject(entry) && entry.type === 'compaction'
}

function sum(reports: readonly (JsonObject | undefined)[], field: string): number | undefined {
  let total: number | undefined
  for (const report of reports) {
    const count = readCount(report?.[field])
    if (count !== undefined) total = (total ?? 0) + count
  }
  return total
}

/** A later split replaces the earlier one, not adds to it, unless it knows of fewer writes. */
function laterSplit(
  seen: CacheSplit | undefined,
  reports: readonly JsonObject[],
): CacheSplit | undefined {
  const details = reports.map((report) => objectIn(report, 'cache_creation'))
  const fiveMinutes = sum(details, 'ephemeral_5m_input_tokens')
  const oneHour = sum(details, 'ephemeral_1h_input_tokens')
  if (fiveMinutes === undefined && oneHour === undefined) return seen
  const split = { fiveMinutes: fiveMinutes ?? 0, oneHour: oneHour ?? 0 }
  return seen !== undefined && written(split) < written(seen) ? seen : split
}

function written(split: CacheSplit): number {
  return split.fiveMinutes + split.oneHour
}

/** The two lives never exceed what was written; what has no stated life lives five minutes. */
function toUsage(counts: MessagesCounts): Usage {
  const split = counts.split ?? { fiveMinutes: 0, oneHour: 0 }
  const writes = counts.cacheWrite ?? written(split)
  const cacheWrite1hTokens = Math.min(split.oneHour, writes)
  const outputTokens = counts.output ?? 0
  return {
    inputTokens: counts.input ?? 0,
    outputTokens,
    reasoningTokens: Math.min(counts.thinking ?? 0, outputTokens),
    cacheReadTokens: counts.cacheRead ?? 0,
    cacheWriteTokens: writes - cacheWrite1hTokens,
    cacheWrite1hTokens,
  }
}

/** Usage in the vendor's full shape, which SDKs and coding agents read without looking. */
export function encodeMessagesUsage(usage: Usage): JsonObject {
  const { cacheWriteTokens, cacheWrite1hTokens } = usage
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: cacheWriteTokens + cacheWrite1hTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens,
      ephemeral_1h_input_tokens: cacheWrite1hTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  }
}

/** The tier that usage names, in words of its own; undefined for batches and when it names none. */
export function decodeServiceTier(wire: unknown): ServiceTier | undefined {
  return isJsonObject(wire) ? tiers.get(wire.service_tier) : undefined
}

const tiers = new Map<unknown, ServiceTier>([
  ['standard', 'default'],
  ['priority', 'priority'],
])

/** The word for a tier in an answer's usage; null where the vendor has none. */
export function encodeServiceTier(tier: ServiceTier | undefined): string | null {
  if (tier === 'priority') return 'priority'
  return tier === 'default' ? 'standard' : null
}
