import { Type } from '@sinclair/typebox'
import type { Codec, RequestTarget } from '../canonical/codec.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import {
  createCheck,
  Flag,
  invalid,
  List,
  Name,
  Num,
  nullable,
  PositiveInteger,
  streamOptionsFault,
  Text,
} from '../check.ts'
import { hasOnlyKnown } from '../known-fields.ts'
import { largestOf, loosest } from '../limits.ts'
import type { Fault, JsonObject, RequestFacts } from '../protocol.ts'
import { requestText } from '../request-text.ts'
import { chatCodec } from './codec.ts'
import { hiddenWork } from './hidden-work.ts'
import { amendUsage, readPlain } from './request.ts'
import { readExtras } from './request-extras.ts'
import { createTextEncoder, toTextCompletion } from './text-answer.ts'
import { refuseOwn, usualLimit } from './text-fields.ts'

// The legacy form of completions: a prompt is continued. Source: OpenAI's API reference, "Completions".

const Choices = Type.Integer({ minimum: 1, maximum: 128, expected: 'an integer from 1 to 128' })

const TextRequest = Type.Object({
  model: Name,
  prompt: Type.Union([Text, List], { expected: 'a string or an array' }),
  stream: nullable(Flag),
  stream_options: nullable(Type.Object({}, { expected: 'an object' })),
  max_tokens: nullable(PositiveInteger),
  n: nullable(Choices),
  best_of: nullable(Choices),
  temperature: nullable(Num),
})

/** The first fault of a legacy completion request. */
export const checkTextCompletions = createCheck(
  TextRequest,
  (body) => streamOptionsFault(body) ?? promptFault(body.prompt),
)

/** Several prompts at once would be input of several contexts, and several bills. */
function promptFault(prompt: unknown): Fault | undefined {
  if (!Array.isArray(prompt)) return undefined
  if (prompt.length === 0) return invalid('prompt', 'prompt must hold a text, not an empty array.')
  const isOne = isTokens(prompt)
  const other = isOne ? -1 : prompt.findIndex((one) => typeof one !== 'string' && !isTokens(one))
  if (other >= 0)
    return invalid(`prompt[${other}]`, `prompt[${other}] must be a text, or LLM tokens as numbers.`)
  const count = isOne ? 1 : prompt.length
  if (count === 1) return undefined
  return {
    code: 'unsupported_parameter',
    param: 'prompt',
    message: `prompt holds ${count} prompts, and one is taken at a time: send a request for each.`,
  }
}

const isTokens = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')

/** Reads a checked legacy completion request. */
export function readTextCompletions(body: JsonObject): RequestFacts {
  const stream = body.stream === true
  const limit = largestOf(body, ['max_tokens', 'max_completion_tokens'])
  const answers = largestOf(body, ['n', 'best_of']).most ?? 1
  const counted = () => requestText(body, [body.prompt, body.suffix])
  return {
    ...readPlain(body, answers),
    text: () => counted().text(),
    uncounted: () => counted().uncounted(),
    stream,
    answers,
    hiddenWork: () => hiddenWork({ ...body, prompt: undefined }),
    maxOutputTokens: loosest(body, limit.most ?? usualLimit),
    hasUnseenInput: !hasOnlyKnown(body, promptFields),
    media: () => noMedia,
    extras: readExtras(body),
    // Upstreams that have another default would write more than was set aside.
    amend: {
      ...(limit.most === undefined && { max_tokens: usualLimit }),
      ...limit.others,
      ...(stream && amendUsage(body.stream_options)),
    },
  }
}

const promptFields = new Set(['prompt', 'suffix', 'echo', 'best_of'])
const noMedia = { tokens: 0, bytes: 0, images: { count: 0, bytes: 0 }, isUnseen: false }

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
  const request = chatCodec.decodeRequest(
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

/** Translation for clients; upstreams are asked by chat completions, or get the bytes. */
export const textCodec: Codec = {
  ...chatCodec,
  decodeRequest,
  encodeResponse: (response, context) =>
    toTextCompletion(chatCodec.encodeResponse(response, context)),
  createEncoder: createTextEncoder,
}
