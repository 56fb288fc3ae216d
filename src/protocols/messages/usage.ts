import {
  type Counts,
  hasObserved,
  joinTiers,
  plus,
  type ReportedExtras,
  reportedExtras,
  type ToolCounts,
  tierName,
  type UsageReports,
} from '../canonical/extras.ts'
import type { ServiceTier } from '../canonical/request.ts'
import { readCount, type Usage } from '../canonical/usage.ts'
import { arrayIn, isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * `input_tokens` excludes cache reads and writes; `cache_creation` splits `cache_creation_input_tokens` by
 * lifetime. `output_tokens` includes thinking. The totals cover the `message` entries of `iterations`:
 * `compaction` entries, calls to the same model, are added; `advisor_message` entries are another model's, and are
 * not.
 */
export const messagesReports: UsageReports = {
  read(wire) {
    const reports = [wire, ...arrayIn(wire, 'iterations').filter(isCompaction)]
    const lives = reports.map((report) => objectIn(report, 'cache_creation'))
    return {
      input: sumOf(reports, 'input_tokens'),
      output: sumOf(reports, 'output_tokens'),
      cacheRead: sumOf(reports, 'cache_read_input_tokens'),
      cacheWrite: sumOf(reports, 'cache_creation_input_tokens'),
      thinking: readCount(objectIn(wire, 'output_tokens_details')?.thinking_tokens),
      fiveMinutes: sumOf(lives, 'ephemeral_5m_input_tokens'),
      oneHour: sumOf(lives, 'ephemeral_1h_input_tokens'),
    }
  },
  needed: ['input', 'output', 'cacheRead', 'cacheWrite'],
  readExtras,
  // A later split of writes by lifetime replaces the earlier one, unless it covers fewer writes.
  replace(counts, found) {
    const { fiveMinutes, oneHour } = found
    if (fiveMinutes === undefined && oneHour === undefined) return
    const isLess = writtenIn(found) < writtenIn(counts)
    const split = isLess ? counts : found
    counts.fiveMinutes = found.fiveMinutes = split.fiveMinutes ?? 0
    counts.oneHour = found.oneHour = split.oneHour ?? 0
  },
  // Both lifetimes together never exceed the writes; the rest lives five minutes.
  sum(counts) {
    const { input = 0, output = 0, thinking = 0, cacheRead = 0, oneHour = 0 } = counts
    const writes = counts.cacheWrite ?? writtenIn(counts)
    const cacheWrite1hTokens = Math.min(oneHour, writes)
    return {
      inputTokens: input,
      outputTokens: output,
      cacheReadTokens: cacheRead,
      reasoningTokens: Math.min(thinking, output),
      cacheWriteTokens: writes - cacheWrite1hTokens,
      cacheWrite1hTokens,
    }
  },
  inputFields: ['input_tokens'],
  outputFields: ['output_tokens'],
}

const writtenIn = ({ fiveMinutes = 0, oneHour = 0 }: Counts) => fiveMinutes + oneHour

/** A report names three kinds of tiers. Its searches and fetches are the billed ones. */
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

function isCompaction(entry: unknown): entry is JsonObject {
  return isJsonObject(entry) && entry.type === 'compaction'
}

function sumOf(reports: readonly (JsonObject | undefined)[], field: string): number | undefined {
  let total: number | undefined
  for (const report of reports) {
    const count = readCount(report?.[field])
    if (count !== undefined) total = (total ?? 0) + count
  }
  return total
}

/** Usage in the vendor's full shape, which SDKs and coding agents read unchecked. */
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

/** The service tier of usage; undefined for batches and without one. */
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
