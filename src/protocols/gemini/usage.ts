import {
  type Modalities,
  type Modality,
  mergeExtras,
  plus,
  type ReportedExtras,
  reportedExtras,
  tierName,
  type UsageReports,
  withExtras,
} from '../canonical/extras.ts'
import { disjointUsage, larger, readCount, type Usage } from '../canonical/usage.ts'
import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The largest counts seen in one answer, in the vendor's own terms. */
export interface GeminiCounts {
  prompt?: number | undefined
  toolUse?: number | undefined
  cached?: number | undefined
  candidates?: number | undefined
  thoughts?: number | undefined
  extras?: ReportedExtras | undefined
}

/**
 * Folds one `usageMetadata` into `counts`; undefined when it has no count in it. The larger count wins.
 * `promptTokenCount` includes `cachedContentTokenCount`; `toolUsePromptTokenCount` comes on top and is input too.
 * Output is `candidatesTokenCount` plus `thoughtsTokenCount`. Embeddings have `promptTokenCount` alone.
 */
export function foldGeminiUsage(counts: GeminiCounts, wire: unknown): Usage | undefined {
  if (!isJsonObject(wire)) return undefined
  const prompt = readCount(wire.promptTokenCount)
  const toolUse = readCount(wire.toolUsePromptTokenCount)
  const candidates = readCount(wire.candidatesTokenCount)
  const thoughts = readCount(wire.thoughtsTokenCount)
  const known = prompt ?? toolUse ?? candidates ?? thoughts
  if (known === undefined) return undefined

  counts.prompt = larger(counts.prompt, prompt)
  counts.toolUse = larger(counts.toolUse, toolUse)
  counts.cached = larger(counts.cached, readCount(wire.cachedContentTokenCount))
  counts.candidates = larger(counts.candidates, candidates)
  counts.thoughts = larger(counts.thoughts, thoughts)
  counts.extras = mergeExtras(counts.extras, readExtras(wire))
  const usage = disjointUsage({
    input: (counts.prompt ?? 0) + (counts.toolUse ?? 0),
    output: (counts.candidates ?? 0) + (counts.thoughts ?? 0),
    reasoning: counts.thoughts ?? 0,
    cacheRead: Math.min(counts.cached ?? 0, counts.prompt ?? 0),
    cacheWrite: 0,
  })
  return withExtras(usage, counts.extras)
}

/** What is no text among the LLM tokens, and the tier, which Vertex names as `trafficType`. */
function readExtras(wire: JsonObject): ReportedExtras | undefined {
  let modalities: Modalities | undefined
  for (const [field, names] of detailFields) {
    const details = wire[field]
    if (!Array.isArray(details)) continue
    for (const detail of details) {
      const name = isJsonObject(detail) ? names.get(detail.modality) : undefined
      if (name !== undefined) modalities = plus(modalities, name, detail.tokenCount)
    }
  }
  const tier = tierName(wire.serviceTier) ?? tierName(wire.trafficType, trafficTypes)
  return reportedExtras(wire, { tier, modalities })
}

type Names = ReadonlyMap<unknown, Modality>

const namesOf = (audio: Modality, image: Modality, video: Modality): Names =>
  new Map([
    ['AUDIO', audio],
    ['IMAGE', image],
    ['VIDEO', video],
  ])

const inputNames = namesOf('inputAudio', 'inputImage', 'inputVideo')
const detailFields: readonly (readonly [field: string, names: Names])[] = [
  ['promptTokensDetails', inputNames],
  ['promptTokenDetails', inputNames],
  ['toolUsePromptTokensDetails', inputNames],
  ['cacheTokensDetails', namesOf('cacheReadAudio', 'cacheReadImage', 'cacheReadVideo')],
  ['candidatesTokensDetails', namesOf('outputAudio', 'outputImage', 'outputVideo')],
]

const trafficTypes: ReadonlyMap<string, string> = new Map([
  ['traffic_type_unspecified', ''],
  ['on_demand_flex', 'flex'],
  ['on_demand_priority', 'priority'],
  ['on_demand_offpeak', 'offpeak'],
  ['provisioned_throughput', 'provisioned'],
])

/** The usage reports of this protocol. */
export const geminiReports: UsageReports<GeminiCounts> = {
  createCounts: () => ({}),
  fold: foldGeminiUsage,
  inputFields: ['promptTokenCount'],
  outputFields: ['candidatesTokenCount', 'thoughtsTokenCount'],
}

/** Counts as `usageMetadata`. Cache writes are input like any other here. */
export function encodeUsage(usage: Usage): JsonObject {
  const { cacheReadTokens, reasoningTokens, outputTokens } = usage
  const { inputTokens, cacheWriteTokens, cacheWrite1hTokens } = usage
  const promptTokenCount = inputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens
  return {
    promptTokenCount,
    ...(cacheReadTokens > 0 ? { cachedContentTokenCount: cacheReadTokens } : {}),
    candidatesTokenCount: outputTokens - reasoningTokens,
    ...(reasoningTokens > 0 ? { thoughtsTokenCount: reasoningTokens } : {}),
    totalTokenCount: promptTokenCount + outputTokens,
  }
}
