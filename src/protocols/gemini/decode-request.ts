import type { RequestTarget } from '../canonical/codec.ts'
import { refuseValue, TranslationError } from '../canonical/error.ts'
import { isTooDeep } from '../canonical/json-text.ts'
import {
  type CanonicalRequest,
  createNotes,
  type Note,
  type OutputFormat,
  type Part,
  type ReasoningPart,
  type Role,
  type ServiceTier,
  type Turn,
} from '../canonical/request.ts'
import { toTurns } from '../canonical/turns.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn, wordSet } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'
import { createPairing, decodePart, type PartContext } from './decode-parts.ts'
import { fromGeminiSchema } from './schema/from-gemini.ts'
import { decodeThinking, isWrapped } from './thinking.ts'
import { decodeSearch, decodeToolChoice, decodeTools } from './tools.ts'
import { camelNames, eachOf, listOf, noteUnknown, placesIn, written } from './wire.ts'

const bodyFields = wordSet(`
  contents systemInstruction tools toolConfig generationConfig labels serviceTier safetySettings
  modelArmorConfig cachedContent store model
`)

/** Decodes a generateContent request; a token count request may contain one. */
export function decodeRequest(body: JsonObject, target: RequestTarget): CanonicalRequest {
  if (isTooDeep(body)) {
    const message = 'The body is nested too deep.'
    throw new TranslationError({ code: 'invalid_value', param: '', message })
  }
  const fields = camelNames(body)
  const whole = objectIn(fields, 'generateContentRequest')
  return whole && !fields.contents
    ? decodeFields(whole, camelNames(whole), target)
    : decodeFields(body, fields, target)
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
    metadata: isJsonObject(fields.labels) ? read.bag(fields, 'labels', 'string') : undefined,
    serviceTier: decodeTier(fields.serviceTier),
    native: uses,
  }
}

function noteVendor(body: JsonObject, fields: JsonObject, note: Note): void {
  const { safetySettings, modelArmorConfig, cachedContent } = fields
  if (listOf(safetySettings).length > 0) note('safety_settings', written(body, 'safetySettings'))
  if (isJsonObject(modelArmorConfig)) note('safety_settings', written(body, 'modelArmorConfig'))
  if (cachedContent && typeof cachedContent === 'string') {
    note('cached_content', written(body, 'cachedContent'))
  }
  if (fields.store === true) note('store', 'store')
}

/** The vendor's default is `standard`; `unspecified` means none. */
export function decodeTier(tier: unknown): ServiceTier | undefined {
  const name = typeof tier === 'string' ? tier.toLowerCase() : ''
  if (name === 'standard') return 'default'
  return name === 'flex' || name === 'priority' ? name : undefined
}

const configFields = wordSet(`
  maxOutputTokens temperature topP topK candidateCount stopSequences seed presencePenalty
  frequencyPenalty responseLogprobs logprobs thinkingConfig responseMimeType responseSchema
  responseJsonSchema _responseJsonSchema responseModalities speechConfig imageConfig
`)

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
  const place = placesIn(wire, at)
  noteModalities(config, place, note)
  const stops = arrayIn(config, 'stopSequences').filter((stop) => typeof stop === 'string')
  const choices = countIn(config, 'candidateCount')
  if (choices !== undefined && choices > maxCandidates) {
    refuseValue(place('candidateCount'), `a number up to ${maxCandidates}`)
  }
  return {
    format: decodeFormat(config, place, note),
    reasoning: decodeThinking(config.thinkingConfig, place('thinkingConfig'), note),
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

type PlaceOf = ReturnType<typeof placesIn>

function noteModalities(config: JsonObject, place: PlaceOf, note: Note): void {
  const others = listOf(config.responseModalities).filter((modality) => modality !== 'TEXT')
  if (others.length > 0) note('output_modality', place('responseModalities'))
  for (const name of ['speechConfig', 'imageConfig']) {
    if (isJsonObject(config[name])) note('output_modality', place(name))
  }
}

const schemaFields = ['responseJsonSchema', '_responseJsonSchema', 'responseSchema']

function decodeFormat(config: JsonObject, place: PlaceOf, note: Note): OutputFormat | undefined {
  const type = stringIn(config, 'responseMimeType')
  const typeAt = place('responseMimeType')
  // One bare word of a list: elsewhere it would be JSON, in quotes.
  if (type === 'text/x.enum') refuseEnum(typeAt)
  if (type !== undefined && type !== 'text/plain' && type !== 'application/json') {
    note('output_modality', typeAt)
  }
  for (const field of schemaFields) {
    const schema = objectIn(config, field)
    if (schema) return { type: 'schema', at: place(field), schema: fromGeminiSchema(schema) }
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

/** A number; the vendor's JSON reader also accepts text. */
function numberIn(config: JsonObject, name: string, at: string): number | undefined {
  const value = config[name]
  if (value === undefined || value === null) return undefined
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  return refuseValue(`${at}.${name}`, 'a number')
}

function decodeTurns(body: JsonObject, note: Note): readonly Turn[] {
  const { systemInstruction, contents } = camelNames(body)
  const context = { note, pairing: createPairing() }
  const messages: Message[] = []
  eachOf(contents, 'contents').forEach(({ item, at }, index) => {
    if (!isJsonObject(item)) refuseValue(at, 'an object with "parts"')
    decodeContent(item, at, index, messages, context)
  })
  const system = decodeSystem(systemInstruction, written(body, 'systemInstruction'), note)
  return [...system, ...toTurns(messages)]
}

function decodeSystem(instruction: unknown, at: string, note: Note): readonly Turn[] {
  if (typeof instruction === 'string' && instruction !== '') {
    return [{ role: 'system', parts: [{ type: 'text', at, text: instruction }] }]
  }
  if (!isJsonObject(instruction)) return []
  const parts = listOf(camelNames(instruction).parts).flatMap((part, index): Part[] => {
    const partAt = `${at}.parts[${index}]`
    const text = isJsonObject(part) ? part.text : part
    if (typeof text !== 'string') note('unknown_part', partAt)
    return typeof text !== 'string' || text === '' ? [] : [{ type: 'text', at: partAt, text }]
  })
  return parts.length === 0 ? [] : [{ role: 'system', parts }]
}

interface Message {
  readonly role: Role
  readonly parts: Part[]
  last: number | undefined
}

function decodeContent(
  content: JsonObject,
  at: string,
  contentIndex: number,
  messages: Message[],
  context: PartContext,
): void {
  const role = roleOf(content, at)
  if (role === 'assistant') context.pairing.beginModel()
  else context.pairing.beginUser()
  let isEmpty = true
  eachOf(content.parts, `${at}.parts`).forEach(({ item: wire, at: partAt }, index) => {
    if (!isJsonObject(wire)) refuseValue(partAt, 'an object')
    const isOurs = isWrapped(stringIn(camelNames(wire), 'thoughtSignature') ?? '')
    for (const part of decodePart(wire, partAt, `${contentIndex}_${index}`, context)) {
      const side = sideOf(part, role)
      if (side === undefined) continue
      addPart(part, messageOf(side, messages), isOurs, contentIndex)
      isEmpty = false
    }
  })
  // A content without usable parts is still a turn.
  if (isEmpty) messageOf(role, messages)
}

/** A missing role is the user; function results also come from the roles `function` and `tool`. */
function roleOf(content: JsonObject, at: string): 'user' | 'assistant' {
  switch (content.role ?? 'user') {
    case 'user':
    case 'function':
    case 'tool':
    case '':
      return 'user'
    case 'model':
      return 'assistant'
    default:
      return refuseValue(`${at}.role`, '"user" or "model"')
  }
}

/** Calls belong to the model and results to the user, in whatever content; users do not reason. */
function sideOf(part: Part, role: 'user' | 'assistant'): 'user' | 'assistant' | undefined {
  if (part.type === 'tool-call') return 'assistant'
  if (part.type === 'tool-result') return 'user'
  if (part.type !== 'reasoning' || role === 'assistant') return role
  return part.callId === undefined ? undefined : 'assistant'
}

function messageOf(role: Role, messages: Message[]): Message {
  const last = messages.at(-1)
  if (last?.role === role) return last
  const message = { role, parts: [], last: undefined }
  messages.push(message)
  return message
}

/** A longer run of texts is not searched for its beginning. */
const longestRun = 64

function addPart(part: Part, message: Message, isOurs: boolean, contentIndex: number): void {
  const { parts, role, last } = message
  const before = parts.at(-1)
  const isChunk = role === 'assistant' && last !== undefined && last < contentIndex
  message.last = contentIndex
  const joint = isChunk && before !== undefined ? joinChunks(before, part) : undefined
  if (joint !== undefined) {
    parts[parts.length - 1] = joint
    return
  }
  const place = isOurs && part.type === 'reasoning' ? startOfText(parts) : parts.length
  parts.splice(place, 0, part)
}

/** The vendor's SDKs keep a streamed answer as one content per chunk: joins its text. */
function joinChunks(before: Part, part: Part): Part | undefined {
  const isText = before.type === 'text' && part.type === 'text'
  const isThought = isUnsigned(before) && isUnsigned(part)
  return isText || isThought ? { ...before, text: before.text + part.text } : undefined
}

const isUnsigned = (part: Part): part is ReasoningPart =>
  part.type === 'reasoning' && part.signature === undefined

function startOfText(parts: readonly Part[]): number {
  const lowest = Math.max(0, parts.length - longestRun)
  for (let at = parts.length; at > lowest; at--) {
    if (parts[at - 1]?.type !== 'text') return at
  }
  return lowest === 0 ? 0 : parts.length
}
