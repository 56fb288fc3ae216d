import { Type } from '@sinclair/typebox'
import {
  Bag,
  createCheck,
  List,
  missing,
  nullable,
  Objects,
  PositiveInteger,
  Text,
} from '../check.ts'
import { settingsFault } from '../field-names.ts'
import { isJsonObject, objectIn } from '../json.ts'
import { hasOnlyKnown } from '../known-parts.ts'
import { type Fault, hostedTurns, type JsonObject, type RequestFacts } from '../protocol.ts'
import { largestOf, toolBounds } from '../request-facts.ts'
import { requestMedia } from '../request-media.ts'
import { requestText } from '../request-text.ts'
import { hiddenWork } from './hidden-work.ts'
import { countNames, limitNames, withOneConfig } from './one-config.ts'
import { readExtras } from './request-extras.ts'

// The vendor's JSON reader takes one object for an array of one, and names in camelCase as well as
// in snake_case: its own documentation does both.
const Parts = Type.Union([Bag, Objects], { expected: 'an array of parts' })
const Content = Type.Object(
  { role: nullable(Text), parts: Parts },
  { expected: 'an object with "parts"' },
)
const Contents = Type.Union([Content, Type.Array(Content, { minItems: 1 })], {
  expected: 'a non-empty array of contents',
})
const Count = Type.Integer({ minimum: 0, expected: 'an integer of 0 or more' })
// Its readers take numbers for words, too, and one word for a list of one: nobody writes that.
const Words = Type.Array(Text, { expected: 'an array of strings' })
const GenerationConfig = Type.Object(
  {
    maxOutputTokens: nullable(PositiveInteger),
    max_output_tokens: nullable(PositiveInteger),
    // The vendor takes 0 for not set.
    candidateCount: nullable(Count),
    candidate_count: nullable(Count),
    responseModalities: nullable(Words),
    response_modalities: nullable(Words),
  },
  { expected: 'an object' },
)

const settings = {
  systemInstruction: nullable(Bag),
  system_instruction: nullable(Bag),
  tools: nullable(Type.Union([List, Bag], { expected: 'an array' })),
  generationConfig: nullable(GenerationConfig),
  generation_config: nullable(GenerationConfig),
  serviceTier: nullable(Text),
  service_tier: nullable(Text),
}

// Without a part the vendor refuses a content: "contents.parts must not be empty".
const SaidContent = Type.Object(
  {
    role: nullable(Text),
    parts: Type.Union([Bag, Type.Array(Bag, { minItems: 1 })], {
      expected: 'a non-empty array of parts',
    }),
  },
  { expected: 'an object with "parts"' },
)
const SaidContents = Type.Union([SaidContent, Type.Array(SaidContent, { minItems: 1 })], {
  expected: 'a non-empty array of contents',
})

/** What the gateway reads of a generateContent request. Source: Google's Gemini API reference. */
export const GenerateRequest = Type.Object({ contents: SaidContents, ...settings })

/** The first fault of a request for content, streamed or not. */
export const checkGenerate = createCheck(GenerateRequest, (body) => {
  const { asked } = withOneConfig(body)
  return asked === body ? undefined : settingsFault({ generationConfig: asked.generationConfig })
})

const CountTokensRequest = Type.Object({
  contents: nullable(Contents),
  generateContentRequest: nullable(Bag),
  generate_content_request: nullable(Bag),
  ...settings,
})

/** The first fault of a request for a token count: of contents, or of a whole request. */
export const checkCountTokens = createCheck(CountTokensRequest, (body): Fault | undefined => {
  const whole = body.generateContentRequest ?? body.generate_content_request
  return body.contents || whole ? undefined : missing('contents', 'a non-empty array of contents')
})

const EmbedRequest = Type.Object({ content: Content }, { expected: 'an object with "content"' })

/** The first fault of a request for one embedding. */
export const checkEmbed = createCheck(EmbedRequest)

const BatchEmbedRequest = Type.Object({
  requests: Type.Union([EmbedRequest, Type.Array(EmbedRequest, { minItems: 1 })], {
    expected: 'a non-empty array of embedding requests',
  }),
})

/** The first fault of a request for several embeddings. */
export const checkBatchEmbed = createCheck(BatchEmbedRequest)

/** Reads a checked request. Which model, and whether to stream, is in the path, not in the body. */
export function readGemini(wire: JsonObject): RequestFacts {
  const { asked: body, amend } = withOneConfig(wire)
  // By both of its names the system instruction may be written: who knows which one is read.
  const { systemInstruction, system_instruction, contents, content, requests } = body
  const prompts = [systemInstruction, system_instruction, contents, content, requests]
  const config = objectIn(body, 'generationConfig') ?? objectIn(body, 'generation_config')
  const limit = largestOf(config, limitNames).most
  // Embeddings generate nothing; their bodies hold `content` or `requests`.
  const isGenerating = body.contents !== undefined
  const answers = largestOf(config, countNames).most || 1
  const counted = () =>
    requestText(body, prompts, [body.tools, ...schemaNames.map((name) => config?.[name])])
  const extras = readExtras(body)
  return {
    model: undefined,
    stream: false,
    calls: answers,
    continues: [],
    amend,
    answers,
    maxOutputTokens: isGenerating ? (limit ?? null) : 0,
    hiddenWork: () => hiddenWork(body),
    takesTurns: hasHostedTools(body.tools),
    turns: hasHostedTools(body.tools) ? hostedTurns : 1,
    hasUnseenInput: !hasOnlyKnown(body, contentFields),
    extras,
    toolBounds: toolBounds(body, extras),
    media: (texts) => requestMedia(prompts, texts),
    text: () => counted().text(),
    uncounted: () => counted().uncounted(),
  }
}

/** Contents in a cache are not here. */
const contentFields = new Set([
  ...['systemInstruction', 'system_instruction', 'contents', 'content', 'requests'],
  ...['generateContentRequest', 'generate_content_request'],
])

/** Reads a checked request for several embeddings: each is a call. */
export function readBatchEmbed(body: JsonObject): RequestFacts {
  const { requests } = body
  return { ...readGemini(body), calls: Array.isArray(requests) ? requests.length : 1 }
}

const schemaNames = [
  ...['responseSchema', 'response_schema', 'responseJsonSchema', 'response_json_schema'],
] as const

/**
 * The path names the model, but requests inside of others repeat it, and the vendor refuses a body
 * whose names differ from the path's.
 */
export function renameGemini(
  body: JsonObject,
  upstreamModel: string,
): { readonly [field: string]: unknown } {
  const name = upstreamModel.includes('/') ? upstreamModel : `models/${upstreamModel}`
  const isOther = (value: unknown): value is JsonObject =>
    isJsonObject(value) && value.model !== undefined && value.model !== name
  const renamed = (value: unknown) => (isOther(value) ? { ...value, model: name } : value)
  const changes: Record<string, unknown> = {}
  if (isOther(body)) changes.model = name
  for (const field of ['requests', 'generateContentRequest', 'generate_content_request']) {
    const value = body[field]
    if (Array.isArray(value) ? value.some(isOther) : isOther(value))
      changes[field] = Array.isArray(value) ? value.map(renamed) : renamed(value)
  }
  return changes
}

/** All tools but functions (`googleSearch`, `codeExecution`) are run by the vendor. */
function hasHostedTools(tools: unknown): boolean {
  return (Array.isArray(tools) ? tools : [tools])
    .filter(isJsonObject)
    .some((tool) => Object.keys(tool).some((key) => !/^function_?declarations$/i.test(key)))
}
