import type { EncodeOptions } from '../canonical/codec.ts'
import { embedJson } from '../canonical/json-text.ts'
import type {
  CanonicalRequest,
  OutputFormat,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../canonical/request.ts'
import { countLeadingInstructions } from '../canonical/turns.ts'
import { defined } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeMedia } from './decode-parts.ts'
import { adaptedSchema } from './schema/to-gemini.ts'
import { dummySignature, encodeThinking, needsSignatures, takesMediaInResults } from './thinking.ts'
import { encodeTools } from './tools.ts'

/** The body for an upstream. The conversation comes last: the next turn has the same prefix. */
export function encodeRequest(request: CanonicalRequest, options: EncodeOptions): JsonObject {
  const leading = countLeadingInstructions(request.turns)
  const contents = encodeContents(request.turns.slice(leading), options)
  const system = request.turns
    .slice(0, leading)
    .flatMap(({ parts }) => parts.flatMap(encodeUserPart))
  const generationConfig = encodeConfig(request, options)
  return {
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    ...encodeTools(request),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    ...encodeTier(request),
    ...(request.metadata === undefined ? {} : { labels: request.metadata }),
    // The vendor requires contents: instructions alone get an empty user message.
    contents: contents.length === 0 ? [{ role: 'user', parts: [{ text: '' }] }] : contents,
  }
}

function encodeTier({ serviceTier }: CanonicalRequest): JsonObject {
  if (serviceTier === undefined || serviceTier === 'auto') return {}
  return { serviceTier: serviceTier === 'default' ? 'standard' : serviceTier }
}

function encodeConfig(request: CanonicalRequest, options: EncodeOptions): JsonObject {
  const { logprobs } = request
  return defined({
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    candidateCount: request.choices,
    stopSequences: request.stop,
    seed: request.seed,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    responseLogprobs: logprobs === undefined ? undefined : true,
    logprobs: logprobs || undefined,
    thinkingConfig: encodeThinking(request.reasoning, options),
    ...(request.format === undefined ? {} : encodeFormat(request.format)),
  })
}

function encodeFormat(format: OutputFormat): JsonObject {
  const responseMimeType = 'application/json'
  if (format.type === 'json') return { responseMimeType }
  return { responseMimeType, responseJsonSchema: adaptedSchema(format.schema) }
}

interface Content {
  readonly role: 'user' | 'model'
  readonly results: JsonObject[]
  readonly parts: JsonObject[]
}

function encodeContents(turns: readonly Turn[], options: EncodeOptions): JsonObject[] {
  const contents: Content[] = []
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'model' : 'user'
    let content = contents.at(-1)
    if (content?.role !== role) {
      content = { role, results: [], parts: [] }
      contents.push(content)
    }
    if (role === 'model')
      for (const part of encodeModel(turn.parts, options)) content.parts.push(part)
    else addUserTurn(turn, content, options)
  }
  return contents.map(({ role, results, parts }) => {
    const all = [...results, ...parts]
    // The vendor rejects a content without parts, and accepts an empty text.
    return { role, parts: all.length === 0 ? [{ text: '' }] : all }
  })
}

function addUserTurn({ role, parts }: Turn, content: Content, options: EncodeOptions): void {
  if (role !== 'user') {
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    if (texts.length > 0) content.parts.push({ text: `<system>\n${texts.join('\n\n')}\n</system>` })
  }
  for (const part of parts) {
    if (part.type === 'tool-result') {
      for (const result of encodeResult(part, options)) content.results.push(result)
    } else if (role === 'user' || part.type !== 'text') {
      for (const encoded of encodeUserPart(part)) content.parts.push(encoded)
    }
  }
}

function encodeUserPart(part: Part): JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }]
    case 'document': {
      const media = encodeMedia(part)
      return part.title === undefined ? [media] : [{ text: part.title }, media]
    }
    case 'image':
    case 'audio':
    case 'video':
      return [encodeMedia(part)]
    default:
      return []
  }
}

/** A result with its media: inside it where the model accepts that, else after it. */
function encodeResult(part: ToolResultPart, options: EncodeOptions): JsonObject[] {
  const texts = part.parts.flatMap((item) => (item.type === 'text' ? [item.text] : []))
  const media = part.parts.flatMap((item) => (item.type === 'text' ? [] : [encodeMedia(item)]))
  const text = texts.join('\n')
  const response = part.isError ? { error: text } : { output: text }
  const { callId: id, name } = part
  const isInside = media.length > 0 && takesMediaInResults(options)
  const inside = isInside ? { parts: media } : {}
  const functionResponse = { id, name, response, ...inside }
  return isInside ? [{ functionResponse }] : [{ functionResponse }, ...media]
}

/** The model's turn. The vendor requires a signature on the first call: a stand-in replaces a lost one. */
function encodeModel(parts: readonly Part[], options: EncodeOptions): JsonObject[] {
  const signatures = signaturesOfCalls(parts)
  const calls = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])))
  const encoded: SignedPart[] = []
  let isFirstCall = true
  for (const part of parts) {
    if (part.type === 'reasoning') {
      const isOfCall = part.callId !== undefined && calls.has(part.callId)
      if (!isOfCall && part.signature !== undefined) addReasoning(encoded, part, part.signature)
    } else if (part.type === 'tool-call') {
      const own = signatures.get(part.callId)
      const needsOne = isFirstCall && needsSignatures(options)
      const signature = own ?? (isFirstCall ? takeLoose(encoded) : undefined)
      const thoughtSignature = signature ?? (needsOne ? dummySignature : undefined)
      isFirstCall = false
      const { callId: id, name, kind, input } = part
      const functionCall = { id, name, args: encodeArguments(kind, input) }
      encoded.push(defined({ functionCall, thoughtSignature }))
    } else for (const plain of encodeUserPart(part)) encoded.push(plain)
  }
  return encoded
}

type SignedPart = JsonObject & { thoughtSignature?: unknown }

function signaturesOfCalls(parts: readonly Part[]): ReadonlyMap<string, string> {
  const signatures = new Map<string, string>()
  for (const part of parts) {
    if (part.type !== 'reasoning' || part.callId === undefined) continue
    if (part.signature !== undefined) signatures.set(part.callId, part.signature)
  }
  return signatures
}

function addReasoning(encoded: SignedPart[], { text }: ReasoningPart, signature: string): void {
  const last = encoded.at(-1)
  if (text !== '') encoded.push({ text, thought: true, thoughtSignature: signature })
  else if (last !== undefined && isUnsigned(last)) last.thoughtSignature = signature
  else encoded.push({ text: '', thoughtSignature: signature })
}

const isUnsigned = (part: SignedPart) =>
  part.thoughtSignature === undefined && part.functionCall === undefined

/** An unattached signature right before a call belongs to it: its id was lost in transit. */
function takeLoose(encoded: SignedPart[]): string | undefined {
  const last = encoded.at(-1)
  if (last?.text !== '' || typeof last.thoughtSignature !== 'string') return undefined
  encoded.pop()
  return last.thoughtSignature
}

/** A call's arguments as an object. Empty text means none; a non-object becomes one text. */
export function encodeArguments(kind: ToolCallPart['kind'], input: string): JsonObject {
  if (kind === 'custom') return { input }
  if (input.trim() === '') return {}
  return embedJson(input) ?? { input }
}
