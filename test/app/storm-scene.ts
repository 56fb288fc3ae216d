import type { Tokens } from '../e2e/dialects.ts'
import { type Dialect, dialects, wholeStream } from '../e2e/dialects.ts'
import {
  jsonAnswer,
  type SeenRequest,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { testEngine } from '../support/test-store.ts'
import { type Running, type ServingOptions, startServing } from './serving.ts'

/** A request that looks smaller than what its vendor counts for it. */
export interface Trick {
  readonly name: string
  readonly dialect: Dialect
  readonly path?: string
  /** Fields beside, or instead of, those of the dialect's plain request. */
  readonly more: object
  /** What the vendor counts. */
  readonly used: Tokens
  /** Undefined: streamed or not, it is the same trick. */
  readonly streams?: false
}

const { chat, responses, messages, gemini } = dialects
const parts = (...more: object[]) => [{ role: 'user', parts: [{ text: 'hi' }, ...more] }]
const content = (...more: object[]) => [
  { role: 'user', content: [{ type: 'text', text: 'hi' }, ...more] },
]
const input = (...more: object[]) => [
  { role: 'user', content: [{ type: 'input_text', text: 'hi' }, ...more] },
]
const long = { input: 20, output: 4_000 }
const large = { input: 100_000, output: 10 }
const few = { max_completion_tokens: 10 }
const schema = (length: number) => ({
  type: 'json_schema',
  json_schema: { name: 'a', schema: { type: 'object', description: 'ab '.repeat(length) } },
})

export const tricks: readonly Trick[] = [
  {
    ...{ name: 'two names of the limit', dialect: chat, used: long },
    more: { max_completion_tokens: 1, max_tokens: 4_000 },
  },
  {
    ...{ name: 'two spellings of the limit', dialect: gemini, used: long },
    more: { generationConfig: { maxOutputTokens: 1, max_output_tokens: 4_000 } },
  },
  {
    ...{ name: 'two configurations', dialect: gemini, used: long },
    more: {
      generationConfig: { maxOutputTokens: 1 },
      generation_config: { max_output_tokens: 4_000 },
    },
  },
  {
    ...{ name: 'two counts of candidates', dialect: gemini, used: { input: 20, output: 800 } },
    more: { generationConfig: { maxOutputTokens: 100, candidateCount: 1, candidate_count: 8 } },
  },
  {
    ...{ name: 'a response that is continued', dialect: responses, used: large },
    more: { max_output_tokens: 10, previous_response_id: 'resp_unknown' },
  },
  {
    ...{ name: 'a conversation', dialect: responses, used: large },
    more: { max_output_tokens: 10, conversation: { id: 'conv_1' } },
  },
  {
    ...{ name: 'a stored prompt', dialect: responses, used: large },
    more: { max_output_tokens: 10, prompt: { id: 'pmpt_1' } },
  },
  {
    ...{ name: 'items by reference', dialect: responses, used: large },
    more: { max_output_tokens: 10, input: [...input(), { type: 'item_reference', id: 'msg_1' }] },
  },
  {
    ...{ name: 'a thread', dialect: messages, used: large },
    more: { max_tokens: 10, thread: { type: 'continue', previous_message_id: 'msg_unknown' } },
  },
  {
    ...{ name: 'a file by its address', dialect: responses, used: large },
    more: {
      max_output_tokens: 10,
      input: input({ type: 'input_file', file_url: 'https://files.example/a.pdf' }),
    },
  },
  {
    ...{ name: 'a file by its id', dialect: chat, used: large },
    more: { ...few, messages: content({ type: 'file', file: { file_id: 'file-1' } }) },
  },
  {
    ...{ name: 'a document by its address', dialect: messages, used: large },
    more: {
      max_tokens: 10,
      messages: content({ type: 'document', source: { type: 'url', url: 'https://a.example/b' } }),
    },
  },
  {
    ...{ name: 'a compressed document', dialect: messages, used: large },
    more: {
      max_tokens: 10,
      messages: content({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
      }),
    },
  },
  {
    ...{ name: 'a file of gemini', dialect: gemini, used: large },
    more: {
      contents: parts({ fileData: { fileUri: 'https://a.example/b', mimeType: 'video/mp4' } }),
      generationConfig: { maxOutputTokens: 10 },
    },
  },
  {
    ...{ name: 'a cache', dialect: gemini, used: large },
    more: { cachedContent: 'cachedContents/1', generationConfig: { maxOutputTokens: 10 } },
  },
  {
    ...{ name: 'images by their address', dialect: chat, used: { input: 5_000, output: 10 } },
    more: {
      ...few,
      messages: content({
        type: 'image_url',
        image_url: { url: 'https://a.example/b', detail: 'high' },
      }),
    },
  },
  {
    ...{ name: 'tools that the vendor runs', dialect: responses, used: large },
    more: { max_output_tokens: 10, tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
  },
  {
    ...{ name: 'a schema', dialect: chat, used: { input: 13_000, output: 10 } },
    more: { ...few, response_format: schema(5_000) },
  },
  {
    ...{ name: 'a token for each byte', dialect: chat, used: { input: 4_000, output: 10 } },
    more: { ...few, messages: [{ role: 'user', content: '𐌰'.repeat(1_000) }] },
  },
  { ...{ name: 'no limit', dialect: chat, used: { input: 20, output: 20_000 } }, more: {} },
  {
    ...{ name: 'several answers without a limit', dialect: chat, more: { n: 8 } },
    used: { input: 20, output: 60_000 },
  },
  {
    ...{ name: 'embeddings of numbers', dialect: chat, path: '/v1/embeddings', streams: false },
    more: { input: Array.from({ length: 300 }, () => 7) },
    used: { input: 300, output: 0 },
  },
]

/** One request of a storm. */
export interface Shot {
  readonly trick: Trick
  readonly stream: boolean
  /** Of the token that sends it, where it is not the usual one. */
  readonly key?: string
}

/** What `startStorm` gives. */
export type Storm = Awaited<ReturnType<typeof startStorm>>

/** Answers when no request of a storm is on its way any more: so all of them are in parallel. */
export async function startStorm(options: Omit<ServingOptions, 'upstream'>, nodes = 1) {
  const folder = createTempDir()
  const decided = { asked: 0, refused: 0, expected: 0, go: Promise.withResolvers<void>() }
  const check = () => {
    if (decided.asked + decided.refused >= decided.expected) decided.go.resolve()
  }
  let used: (seen: SeenRequest) => { readonly trick: Trick; readonly stream: boolean }
  const upstream = startFakeUpstream(async (seen) => {
    decided.asked++
    check()
    await decided.go.promise
    const { trick, stream } = used(seen)
    if (!stream) return jsonAnswer(trick.dialect.body(trick.used))
    return sseAnswer(wholeStream(trick.dialect, trick.used, ['one', ' two']))
  })
  const store = options.store ?? (testEngine === 'sqlite' ? folder.join('tollgate.db') : undefined)
  const gateways: Running[] = []
  for (let node = 0; node < nodes; node++) {
    gateways.push(
      await startServing({ upstream: upstream.url, ...options, ...(store && { store }) }),
    )
  }

  /** Sends all at once, in turn to the nodes; gives the statuses and what was asked upstream. */
  async function send(shots: readonly Shot[]) {
    Object.assign(decided, { asked: 0, refused: 0, expected: shots.length })
    decided.go = Promise.withResolvers()
    used = ({ headers }) => {
      const shot = shots[Number(headers.get('x-client-request-id'))]
      if (shot === undefined) throw new Error('It is not known which request this is.')
      return shot
    }
    const statuses = await Promise.all(
      shots.map(async ({ trick, stream, key }, at) => {
        const { dialect, path = dialect.path(stream) } = trick
        const body = { ...dialect.request(stream), ...trick.more }
        const answer = await (gateways[at % nodes] as Running).ask(path, body, key, {
          'x-client-request-id': String(at),
        })
        if (answer.status !== 200) {
          decided.refused++
          check()
        }
        await answer.text()
        return answer.status
      }),
    )
    return { statuses, asked: decided.asked }
  }

  return {
    send,
    /** The account's balance, in nano-USD, when all is stored. */
    async balanceNano() {
      const account = await gateways[0]?.instance.store.admin.account('user@example.com')
      return account?.balanceNano ?? Number.NaN
    },
    async [Symbol.asyncDispose]() {
      for (const gateway of gateways) await gateway[Symbol.asyncDispose]()
      await upstream.stop()
      folder.remove()
    },
  }
}
