import { arrayIn, countIn, isJsonObject, objectIn } from '../json.ts'
import { hasOnlyKnown } from '../known-parts.ts'
import { hostedTurns, type JsonObject, type RequestFacts } from '../protocol.ts'
import { requestExtras } from '../request-extras.ts'
import {
  allOfTypes,
  baseFacts,
  type HiddenWork,
  hasOnly,
  isPlain,
  largestOf,
  loosest,
} from '../request-facts.ts'
import { requestMedia, requestPictures } from '../request-media.ts'
import { requestText } from '../request-text.ts'
import { readExtras, tiersIn } from './hosted-tools.ts'

/** Reads a checked chat completion request. */
export function readCompletions(body: JsonObject): RequestFacts {
  const stream = body.stream === true
  const limit = largestOf(body, ['max_completion_tokens', 'max_tokens'])
  const hasSearch = isJsonObject(body.web_search_options)
  const answers = largestOf(body, ['n', 'best_of']).most ?? 1
  const format = objectIn(body, 'response_format')
  return {
    ...baseFacts(body, readExtras(body)),
    ...requestText(body, [body.messages], [body.tools, body.functions, format?.json_schema]),
    calls: answers,
    answers,
    hiddenWork: () => hiddenWork(body),
    maxOutputTokens: withThinking(body, loosest(body, limit.most)),
    takesTurns: hasSearch,
    turns: hasSearch ? hostedTurns : 1,
    // Sound that an earlier answer had is named by its id.
    hasUnseenInput:
      !hasOnlyKnown(body, messagesField) || arrayIn(body, 'messages').some(refersToSound),
    media: (texts) => requestMedia([body.messages], texts),
    amend: { ...limit.others, ...(stream && amendUsage(body.stream_options)) },
  }
}

const messagesField = new Set(['messages'])

/** Some upstreams count what a budget allows for reasoning beside the limit of the answer. */
function withThinking(body: JsonObject, limit: number | null): number | null {
  if (limit === null) return null
  return (
    limit +
    (countIn(body, 'thinking_budget') ?? 0) +
    (countIn(objectIn(body, 'thinking'), 'budget_tokens') ?? 0) +
    (countIn(objectIn(body, 'reasoning'), 'max_tokens') ?? 0)
  )
}

const refersToSound = (message: unknown) =>
  isJsonObject(message) && isJsonObject(message.audio) && message.audio.id !== undefined

/** Without `include_usage` a stream reports no usage, and there would be nothing to bill by. */
export function amendUsage(options: unknown): RequestFacts['amend'] {
  const existing = isJsonObject(options) ? options : {}
  if (existing.include_usage === true) return {}
  return { stream_options: { ...existing, include_usage: true } }
}

/** Reads a checked embeddings request. */
export function readEmbeddings(body: JsonObject): RequestFacts {
  return {
    ...baseFacts(body, requestExtras(body, { tiers: tiersIn(body) })),
    ...requestText(body, [body.input]),
    stream: false,
    calls: inputsIn(body.input),
    maxOutputTokens: 0,
    hasUnseenInput: !hasOnlyKnown(body, inputField),
    media: (texts) => requestMedia([body.input], texts),
  }
}

const inputField = new Set(['input'])

/** Each text is one, and so is each array of LLM tokens; a bare array of them is a single input. */
const inputsIn = (input: unknown): number =>
  Array.isArray(input) && typeof input[0] !== 'number' ? Math.max(1, input.length) : 1

/** Reads a checked request for images: `n` of them are `n` calls. */
export function readImages(body: JsonObject): RequestFacts {
  const calls = typeof body.n === 'number' ? body.n : 1
  return {
    ...baseFacts(body, requestExtras(body, { tiers: tiersIn(body) })),
    ...requestText(body, [body.prompt]),
    calls,
    answers: mostImages(body, calls),
    mostCalls: mostImages(body, calls),
    longestAnswer: longestImage,
    media: (texts) => requestPictures(body, imageSettings, texts),
  }
}

/** Names by which vendors of this protocol are asked for several images at once. */
const imageCount = /^(?!partial_)(\w*_)?(images|outputs)$|^batch_size$/
/** Of a set whose size the model chooses. Source: Volcengine, "Seedream". */
const largestSet = 15

/** The most images that an answer may have. */
function mostImages(body: JsonObject, asked: number): number {
  const set = objectIn(body, 'sequential_image_generation_options')
  const counts = [body, set].flatMap((holder = {}) =>
    Object.keys(holder).flatMap((name) => (imageCount.test(name) ? numberOf(holder[name]) : [])),
  )
  const isSet = (body.sequential_image_generation ?? 'disabled') !== 'disabled'
  return Math.max(asked, ...counts, isSet && counts.length === 0 ? largestSet : 1)
}

/** Forms have numbers as text. */
function numberOf(value: unknown): readonly number[] {
  const isDigits = typeof value === 'string' && /^\d{1,9}$/.test(value)
  return typeof value === 'number' || isDigits ? [Math.ceil(Number(value))] : []
}

/** Fields of a request for images, with any vendor of this protocol, that are no pictures. */
const imageSettings = new Set([
  ...['model', 'prompt', 'negative_prompt', 'size', 'quality', 'style', 'background', 'moderation'],
  ...['output_format', 'response_format', 'input_fidelity', 'user', 'aspect_ratio', 'resolution'],
  ...['sequential_image_generation', 'sequential_image_generation_options', 'image_size'],
  ...['optimize_prompt_options', 'image_config', 'provider', 'metadata', 'service_tier'],
])

/** Of one image, with its partial ones. Source: OpenAI, "Image generation": 6,208 and 100 for each. */
const longestImage = 8_192

/** Fields that make a model do nothing that is not in its stream. */
const shownFields = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n'],
  ...['temperature', 'top_p', 'top_k', 'stop', 'presence_penalty', 'frequency_penalty', 'seed'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'response_format', 'verbosity', 'metadata'],
  ...['store'],
  ...['user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'service_tier'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'],
  ...['modalities', 'reasoning_effort'],
])

/** What a request makes the vendor do unseen. */
export function hiddenWork(body: JsonObject): HiddenWork {
  const { modalities, reasoning_effort: effort, service_tier: tier } = body
  const isShown =
    hasOnly(body, shownFields) &&
    isPlain(tier, 'default', 'auto') &&
    isPlain(effort, 'none') &&
    (isPlain(modalities) || (Array.isArray(modalities) && modalities.every((m) => m === 'text'))) &&
    allOfTypes(body.tools, ['function', 'custom'])
  if (!isShown) return 'some'
  return effort === 'none' ? 'none' : 'by_model'
}
