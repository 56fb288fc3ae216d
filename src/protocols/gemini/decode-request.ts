import type { RequestTarget } from '../canonical/codec.ts'
import { refuseValue, TranslationError } from '../canonical/error.ts'
import { isTooDeep } from '../canonical/json-text.ts'
import type { CanonicalRequest, OutputFormat, ServiceTier } from '../canonical/request.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeTurns } from './decode-turns.ts'
import { camelNames, createNotes, listOf, type Note, noteUnknown, written } from './names.ts'
import { fromGeminiSchema } from './schema-in.ts'
import { decodeSearch } from './search.ts'
import { decodeThinking } from './thinking.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

const bodyFields = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'labels'],
  ...['serviceTier', 'safetySettings', 'modelArmorConfig', 'cachedContent', 'store', 'model'],
])

/**
 * Reads a generateContent request; which model, and whether to stream, is in the path. A request for
 * a count of tokens may hold such a request whole.
 */
export function decodeRequest(body: JsonObject, target: RequestTarget): CanonicalRequest {
  if (isTooDeep(body)) refuseDepth()
  const fields = camelNames(body)
  const whole = objectIn(fields, 'generateContentRequest')
  return whole && !fields.contents
    ? decodeFields(whole, camelNames(whole), target)
    : decodeFields(body, fields, target)
}

function refuseDepth(): never {
  const message = 'The body is nested too deep.'
  throw new TranslationError({ code: 'invalid_value', param: '', message })
}

function decodeFields(
  body: JsonObject,
  fields: JsonObject,
  target: RequestTarget,
): CanonicalRequest {
  const { note, uses } = createNotes()
  noteUnknown(body, bodyFields, '', note)
  noteVendor(body, fields, note)
  return {
    model: target.model,
    stream: target.stream,
    turns: decodeTurns(body, note),
    tools: decodeTools(body, note),
    webSearch: decodeSearch(body),
    toolChoice: decodeToolChoice(body, note),
    ...decodeConfig(objectIn(fields, 'generationConfig'), written(body, 'generationConfig'), note),
    metadata: decodeLabels(fields.labels, 'labels'),
    serviceTier: decodeTier(fields.serviceTier),
    native: uses,
  }
}

/** Whole fields that only this vendor has. */
function noteVendor(body: JsonObject, fields: JsonObject, note: Note): void {
  if (listOf(fields.safetySettings).length > 0) {
    note('safety_settings', written(body, 'safetySettings'))
  }
  if (isJsonObject(fields.modelArmorConfig)) {
    note('safety_settings', written(body, 'modelArmorConfig'))
  }
  if (stringIn(fields, 'cachedContent')) note('cached_content', written(body, 'cachedContent'))
  if (fields.store === true) note('store', 'store')
}

function decodeLabels(labels: unknown, at: string): CanonicalRequest['metadata'] {
  if (!isJsonObject(labels)) return undefined
  const entries = Object.entries(labels).map(([name, value]): [string, string] =>
    typeof value === 'string' ? [name, value] : refuseValue(`${at}.${name}`, 'a string'),
  )
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** The vendor's word for the default is `standard`; `unspecified` is as good as none. */
export function decodeTier(tier: unknown): ServiceTier | undefined {
  const name = typeof tier === 'string' ? tier.toLowerCase() : ''
  if (name === 'standard') return 'default'
  return name === 'flex' || name === 'priority' ? name : undefined
}

const configFields = new Set([
  ...['maxOutputTokens', 'temperature', 'topP', 'topK', 'candidateCount', 'stopSequences', 'seed'],
  ...['presencePenalty', 'frequencyPenalty', 'responseLogprobs', 'logprobs', 'thinkingConfig'],
  ...['responseMimeType', 'responseSchema', 'responseJsonSchema', '_responseJsonSchema'],
  ...['responseModalities', 'speechConfig', 'imageConfig'],
])

/** Source: Google's reference of `GenerationConfig`. */
const maxCandidates = 8

function decodeConfig(
  wire: JsonObject | undefined,
  at: string,
  note: Note,
): Omit<CanonicalRequest, 'model' | 'stream' | 'turns' | 'tools' | 'native'> {
  if (wire === undefined) return {}
  noteUnknown(wire, configFields, at, note)
  const config = camelNames(wire)
  noteModalities(wire, config, at, note)
  const stops = arrayIn(config, 'stopSequences').filter((stop) => typeof stop === 'string')
  const choices = countIn(config, 'candidateCount')
  if (choices !== undefined && choices > maxCandidates) {
    refuseValue(`${at}.${written(wire, 'candidateCount')}`, `a number up to ${maxCandidates}`)
  }
  return {
    format: decodeFormat(wire, config, at, note),
    reasoning: decodeThinking(
      config.thinkingConfig,
      `${at}.${written(wire, 'thinkingConfig')}`,
      note,
    ),
    maxOutputTokens: countIn(config, 'maxOutputTokens') || undefined,
    stop: stops.length === 0 ? undefined : stops,
    temperature: numberIn(config, 'temperature', at),
    topP: numberIn(config, 'topP', at),
    topK: numberIn(config, 'topK', at),
    presencePenalty: numberIn(config, 'presencePenalty', at),
    frequencyPenalty: numberIn(config, 'frequencyPenalty', at),
    seed: numberIn(config, 'seed', at),
    logprobs: config.responseLogprobs === true ? (countIn(config, 'logprobs') ?? 0) : undefined,
    choices: choices !== undefined && choices > 1 ? choices : undefined,
  }
}

/** Answers in anything but text. */
function noteModalities(wire: JsonObject, config: JsonObject, at: string, note: Note): void {
  const others = listOf(config.responseModalities).filter((modality) => modality !== 'TEXT')
  if (others.length > 0) note('output_modality', `${at}.${written(wire, 'responseModalities')}`)
  for (const name of ['speechConfig', 'imageConfig']) {
    if (isJsonObject(config[name])) note('output_modality', `${at}.${written(wire, name)}`)
  }
}

const schemaFields = ['responseJsonSchema', '_responseJsonSchema', 'responseSchema']

function decodeFormat(
  wire: JsonObject,
  config: JsonObject,
  at: string,
  note: Note,
): OutputFormat | undefined {
  const type = stringIn(config, 'responseMimeType')
  const typeAt = `${at}.${written(wire, 'responseMimeType')}`
  // One bare word of a list: elsewhere the answer would be JSON, in quotes.
  if (type === 'text/x.enum') refuseEnum(typeAt)
  if (type !== undefined && type !== 'text/plain' && type !== 'application/json') {
    note('output_modality', typeAt)
  }
  const field = schemaFields.find((name) => isJsonObject(config[name]))
  const schema = field === undefined ? undefined : objectIn(config, field)
  if (field !== undefined && schema !== undefined) {
    return {
      type: 'schema',
      at: `${at}.${written(wire, field)}`,
      schema: fromGeminiSchema(schema),
    }
  }
  return type === 'application/json' ? { type: 'json', isAny: true } : undefined
}

function refuseEnum(param: string): never {
  throw new TranslationError({
    code: 'unsupported_parameter',
    param,
    message: `${param} "text/x.enum" is only known to Gemini's own channels. Ask for application/json with a schema that has an enum.`,
  })
}

/** A number; the vendor's JSON reader takes it as text, too. */
function numberIn(config: JsonObject, name: string, at: string): number | undefined {
  const value = config[name]
  if (value === undefined || value === null) return undefined
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  return refuseValue(`${at}.${name}`, 'a number')
}
