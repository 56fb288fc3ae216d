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
import { countIn, isJsonObject, objectIn } from '../json.ts'
import type { Fault, JsonObject, RequestFacts } from '../protocol.ts'
import { requestMedia } from '../request-media.ts'
import { requestText } from '../request-text.ts'

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
const GenerationConfig = Type.Object(
  { maxOutputTokens: nullable(PositiveInteger), max_output_tokens: nullable(PositiveInteger) },
  { expected: 'an object' },
)

const settings = {
  systemInstruction: nullable(Bag),
  system_instruction: nullable(Bag),
  tools: nullable(Type.Union([List, Bag], { expected: 'an array' })),
  generationConfig: nullable(GenerationConfig),
  generation_config: nullable(GenerationConfig),
}

/** What the gateway reads of a generateContent request. Source: Google's Gemini API reference. */
export const GenerateRequest = Type.Object({ contents: Contents, ...settings })

/** The first fault of a request for content, streamed or not. */
export const checkGenerate = createCheck(GenerateRequest)

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
export function readGemini(body: JsonObject): RequestFacts {
  const system = body.systemInstruction ?? body.system_instruction
  const config = objectIn(body, 'generationConfig') ?? objectIn(body, 'generation_config')
  const limit = countIn(config, 'maxOutputTokens') ?? countIn(config, 'max_output_tokens')
  // Embeddings generate nothing; their bodies hold `content` or `requests`.
  const isGenerating = body.contents !== undefined
  return {
    model: undefined,
    stream: false,
    calls: 1,
    continues: [],
    amend: {},
    // The vendor takes 0 for not set.
    answers: countIn(config, 'candidateCount') || countIn(config, 'candidate_count') || 1,
    maxOutputTokens: isGenerating ? (limit ?? null) : 0,
    takesTurns: hasHostedTools(body.tools),
    media: (texts) => requestMedia([body.contents, body.content, body.requests], texts),
    text: () => requestText([system, body.contents, body.content, body.requests], body.tools),
  }
}

/**
 * The path names the model, but requests inside of others repeat it, and the vendor refuses a body
 * whose names differ from the path's.
 */
export function renameGemini(
  body: JsonObject,
  upstreamModel: string,
): { readonly [field: string]: unknown } {
  const name = upstreamModel.includes('/') ? upstreamModel : `models/${upstreamModel}`
  const renamed = (value: unknown) =>
    isJsonObject(value) && value.model !== undefined ? { ...value, model: name } : value
  const changes: Record<string, unknown> = {}
  if (body.model !== undefined) changes.model = name
  for (const field of ['requests', 'generateContentRequest', 'generate_content_request']) {
    const value = body[field]
    if (value !== undefined)
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
