import {
  type Modalities,
  plus,
  type ReportedExtras,
  reportedExtras,
  tierName,
  type UsageReports,
} from '../canonical/extras.ts'
import { disjointUsage, type Modality, readCount, type Usage } from '../canonical/usage.ts'
import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * `promptTokenCount` includes `cachedContentTokenCount`; `toolUsePromptTokenCount` is additional input. Output is
 * `candidatesTokenCount` plus `thoughtsTokenCount`. Embeddings have `promptTokenCount` alone.
 */
export const geminiReports: UsageReports = {
  read: (wire) => ({
    prompt: readCount(wire.promptTokenCount),
    toolUse: readCount(wire.toolUsePromptTokenCount),
    cached: readCount(wire.cachedContentTokenCount),
    candidates: readCount(wire.candidatesTokenCount),
    thoughts: readCount(wire.thoughtsTokenCount),
  }),
  needed: ['prompt', 'toolUse', 'candidates', 'thoughts'],
  readExtras,
  sum: ({ prompt = 0, toolUse = 0, cached = 0, candidates = 0, thoughts = 0 }) =>
    disjointUsage({
      input: prompt + toolUse,
      output: candidates + thoughts,
      reasoning: thoughts,
      cacheRead: Math.min(cached, prompt),
      cacheWrite: 0,
    }),
  inputFields: ['promptTokenCount'],
  outputFields: ['candidatesTokenCount', 'thoughtsTokenCount'],
}

/** Non-text tokens, and the tier, which Vertex names in `trafficType`. */
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

const namesOf = (part: 'input' | 'cacheRead' | 'output'): Names =>
  new Map<unknown, Modality>([
    ['AUDIO', `${part}Audio`],
    ['IMAGE', `${part}Image`],
    ['VIDEO', `${part}Video`],
  ])

const inputNames = namesOf('input')
const detailFields: readonly (readonly [field: string, names: Names])[] = [
  ['promptTokensDetails', inputNames],
  ['promptTokenDetails', inputNames],
  ['toolUsePromptTokensDetails', inputNames],
  ['cacheTokensDetails', namesOf('cacheRead')],
  ['candidatesTokensDetails', namesOf('output')],
]

const trafficTypes: ReadonlyMap<string, string> = new Map([
  ['traffic_type_unspecified', ''],
  ['on_demand_flex', 'flex'],
  ['on_demand_priority', 'priority'],
  ['on_demand_offpeak', 'offpeak'],
  ['provisioned_throughput', 'provisioned'],
])

/** Usage as `usageMetadata`. Cache writes count as plain input. */
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
