import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { type HiddenWork, hasOnly, isPlain } from '../request-facts.ts'
import { camelNames } from './names.ts'

/** Fields that make a model do nothing that is not in its stream, of input that is in the request. */
const shownFields = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'safetySettings', 'labels', 'model'],
  ...['generationConfig', 'serviceTier'],
])
const shownSettings = new Set([
  ...['temperature', 'topP', 'topK', 'candidateCount', 'maxOutputTokens', 'stopSequences', 'seed'],
  ...['responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseModalities'],
  ...['presencePenalty', 'frequencyPenalty', 'responseLogprobs', 'logprobs', 'mediaResolution'],
  ...['thinkingConfig'],
])

const shownThinking = new Set(['thinkingBudget', 'includeThoughts'])

/** What a request makes the vendor do unseen. */
export function hiddenWork(wire: JsonObject): HiddenWork {
  const body = onceNamed(wire)
  const config = onceNamed(body?.generationConfig ?? {})
  const thinking = onceNamed(config?.thinkingConfig ?? {})
  if (!body || !config || !thinking) return 'some'
  const { responseModalities: modalities } = config
  const { thinkingBudget } = thinking
  const isShown =
    hasOnly(body, shownFields) &&
    hasOnly(config, shownSettings) &&
    hasOnly(thinking, shownThinking) &&
    isPlain(body.serviceTier, 'standard') &&
    isPlain(thinkingBudget, 0) &&
    (isPlain(modalities) || (Array.isArray(modalities) && modalities.every(isText))) &&
    allFunctions(body.tools)
  if (!isShown) return 'some'
  return thinkingBudget === 0 ? 'none' : 'by_model'
}

/** An object with its names in camelCase; undefined for one that has a field in both spellings. */
function onceNamed(value: unknown): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined
  const named = camelNames(value)
  return Object.keys(named).length === Object.keys(value).length ? named : undefined
}

const isText = (modality: unknown) => typeof modality === 'string' && /^text$/i.test(modality)

/** All tools but functions (`googleSearch`, `codeExecution`) are run by the vendor. */
const allFunctions = (tools: unknown): boolean =>
  isPlain(tools) ||
  (Array.isArray(tools) ? tools : [tools]).every(
    (tool) => isJsonObject(tool) && hasOnly(camelNames(tool), functions),
  )

const functions = new Set(['functionDeclarations'])
