import type { Codec, EncodeContext, RequestTarget, StreamEncoder } from '../canonical/codec.ts'
import { refuseValue, TranslationError } from '../canonical/error.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import { arrayIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import { hasOnlyKnown } from '../known-parts.ts'
import type { JsonObject, RequestFacts } from '../protocol.ts'
import { baseFacts, largestOf, loosest } from '../request-facts.ts'
import { noMedia } from '../request-media.ts'
import { requestText } from '../request-text.ts'
import { type LegacyFeature, legacyFeatures } from '../translation/features.ts'
import { decodeChatRequest } from './decode-request.ts'
import { encodeChatResponse } from './encode-answer.ts'
import { createChatEncoder } from './encode-stream.ts'
import { amendUsage, hiddenWork } from './facts.ts'
import { readExtras } from './hosted-tools.ts'

// The legacy form of completions: a prompt is continued. Source: OpenAI's API reference, "Completions".

/** Reads a checked legacy completion request. */
export function readTextCompletions(body: JsonObject): RequestFacts {
  const stream = body.stream === true
  const limit = largestOf(body, ['max_tokens', 'max_completion_tokens'])
  const answers = largestOf(body, ['n', 'best_of']).most ?? 1
  return {
    ...baseFacts(body, readExtras(body)),
    ...requestText(body, [body.prompt, body.suffix]),
    calls: answers,
    answers,
    hiddenWork: () => hiddenWork({ ...body, prompt: undefined }),
    maxOutputTokens: loosest(body, limit.most ?? usualLimit),
    hasUnseenInput: !hasOnlyKnown(body, promptFields),
    media: () => noMedia,
    // Upstreams that have another default would write more than was set aside.
    amend: {
      ...(limit.most === undefined && { max_tokens: usualLimit }),
      ...limit.others,
      ...(stream && amendUsage(body.stream_options)),
    },
  }
}

const promptFields = new Set(['prompt', 'suffix', 'echo', 'best_of'])

/** Settings that chat completions have by the same name. Nothing else of the body is looked at. */
const shared = [
  ...['model', 'stream', 'stream_options', 'max_tokens', 'temperature', 'top_p', 'n', 'stop'],
  ...['presence_penalty', 'frequency_penalty', 'seed', 'logit_bias', 'user', 'service_tier'],
]
const known = new Set([...shared, 'prompt', 'suffix', 'echo', 'best_of', 'logprobs'])

/**
 * Reads it as the chat completion that stands for it: the prompt is the user's only message. Throws
 * `TranslationError` for what only the legacy form has.
 */
function decodeRequest(body: JsonObject, target: RequestTarget): CanonicalRequest {
  const prompt = refuseOwn(body)
  const settings = Object.fromEntries(shared.map((name) => [name, body[name]]))
  const request = decodeChatRequest(
    {
      ...settings,
      max_tokens: body.max_tokens ?? usualLimit,
      messages: [{ role: 'user', content: prompt }],
    },
    target,
  )
  const others = Object.keys(body).filter((name) => !known.has(name) && body[name] !== null)
  const native = others.map((at) => ({ feature: 'unknown_field', at }) as const)
  return { ...request, native: [...request.native, ...native] }
}

/**
 * Translation for clients, over that of chat completions: upstreams are asked by these, or get the
 * bytes.
 */
export const textCodec: Pick<Codec, 'decodeRequest' | 'encodeResponse' | 'createEncoder'> = {
  decodeRequest,
  encodeResponse: (response, context) => toTextCompletion(encodeChatResponse(response, context)),
  createEncoder: createTextEncoder,
}

/** So long an answer is that sets no limit, by the vendor's default. */
export const usualLimit = 16

/**
 * The prompt of a legacy completion for a model that is asked in the protocol of its channel. Throws
 * `TranslationError` for what only the legacy form has.
 */
function refuseOwn(body: JsonObject): string {
  const { prompt, suffix, echo, best_of: best, logprobs, n } = body
  const [text = prompt] = Array.isArray(prompt) ? prompt : [prompt]
  if (typeof text !== 'string') throw refused('prompt', 'prompt_tokens')
  if (text === '') refuseValue('prompt', 'a text that is not empty')
  if (typeof suffix === 'string' && suffix !== '') throw refused('suffix', 'suffix')
  if (echo === true) throw refused('echo', 'echo')
  if (typeof best === 'number' && best > (typeof n === 'number' ? n : 1))
    throw refused('best_of', 'best_of')
  if (logprobs !== undefined && logprobs !== null && logprobs !== false)
    throw refused('logprobs', 'logprobs')
  return text
}

function refused(param: string, feature: LegacyFeature): TranslationError {
  const { title, note } = legacyFeatures[feature] as { title: string; note?: string }
  return new TranslationError({
    code: 'unsupported_parameter',
    param,
    message: `${param}: this model is not asked in the legacy form, and no other has this (${title}${note ? `: ${note}` : ''}). Leave it out.`,
  })
}

/** A whole chat completion, or a chunk of one, in the legacy form. Reasoning has no place there. */
function toTextCompletion(chat: JsonObject): JsonObject {
  const { id, object: _, choices: __, ...rest } = chat
  return {
    id: String(id).replace(/^chatcmpl-/, 'cmpl-'),
    object: 'text_completion',
    ...rest,
    choices: arrayIn(chat, 'choices').filter(isJsonObject).map(toTextChoice),
  }
}

function toTextChoice(choice: JsonObject): JsonObject {
  const { index, finish_reason } = choice
  return { text: textOf(choice), index, logprobs: null, finish_reason }
}

/** A refusal is what the model says, too. */
function textOf(choice: JsonObject): string {
  const message = objectIn(choice, 'message') ?? objectIn(choice, 'delta')
  return stringIn(message, 'content') ?? stringIn(message, 'refusal') ?? ''
}

/** Writes an answer as chunks of a legacy completion: those that have text, an end, or the usage. */
function createTextEncoder(context: EncodeContext): StreamEncoder {
  const chat = createChatEncoder(context)
  return {
    push: (event) => chat.push(event).split('\n\n').map(toTextFrame).join(''),
    fail: (error) => chat.fail(error),
  }
}

function toTextFrame(frame: string): string {
  if (frame === '') return ''
  const chunk = parseJsonObject(frame.slice('data: '.length))
  if (chunk === undefined || chunk.error !== undefined) return `${frame}\n\n`
  const choices = arrayIn(chunk, 'choices').filter(isJsonObject)
  const says = (choice: JsonObject) => textOf(choice) !== '' || choice.finish_reason !== null
  if (choices.length > 0 && !choices.some(says)) return ''
  return `data: ${JSON.stringify(toTextCompletion(chunk))}\n\n`
}
