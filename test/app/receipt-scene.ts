import { dialects, wholeStream } from '../e2e/dialects.ts'
import {
  jsonAnswer,
  type SeenRequest,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { speaksAt, upstreamKey } from '../support/tollgate-yaml.ts'
import { startServing } from './serving.ts'

/** The account of these scenes has three tokens; `disabledKey` is switched off. */
export const siblingKey = 'sk-sibling-0123456789abcdefghijklmn'
export const ownKey = 'sk-own-0123456789abcdefghijklmnopqr'
export const disabledKey = 'sk-disabled-0123456789abcdefghijkl'

const tokens = { input: 12, output: 5 }
const { chat, responses } = dialects

/** A receipt as a client reads it. */
export type Receipt = Record<string, unknown> & {
  readonly attempts: readonly Record<string, unknown>[]
}

/** A gateway whose upstream answers as the question says, and whose channel `flaky` always fails. */
export async function startReceiptScene() {
  let release = () => {}
  const upstream = startFakeUpstream(answer)
  const running = await startServing({
    upstream: upstream.url,
    models: [
      { id: 'test-model', upstream: 'secret-model' },
      ...['fragile', 'house-llm', 'painter', 'narrow'],
    ],
    prices: {
      'house-llm': { free: true },
      painter: { per_call: 0.04 },
      narrow: { input: 1, output: 2, context_window: 100 },
    },
    channel: { priority: 1 },
    group: { channels: ['flaky', 'main'], rate_multiplier: 0.8 },
    moreChannels: [flakyChannel(upstream.url)],
    moreAccounts: [ownAccount],
  })
  await disableToken()

  /** What a failed answer may hold: usage, and words that nobody outside should read. */
  const failedResponse = () => ({
    id: 'resp_1',
    object: 'response',
    status: 'failed',
    error: { code: 'server_error', message: 'it broke' },
    output: [],
    usage: {
      input_tokens: 7,
      output_tokens: 3,
      note: `key ${upstreamKey} at ${new URL(upstream.url).host}`,
    },
  })

  function answer(request: SeenRequest): Response | Promise<Response> {
    const body = request.json() as { input?: string; messages?: { content: string }[] }
    const headers = { 'x-request-id': 'upstream-request-1' }
    if (request.headers.get('authorization') === 'Bearer flaky-key') {
      return jsonAnswer({ error: { message: 'overloaded' } }, 503, headers)
    }
    switch (body.input ?? body.messages?.[0]?.content) {
      case 'stream':
        return sseAnswer(wholeStream(chat, tokens, ['hel', 'lo']), { headers })
      case 'wait': {
        const ready = new Promise<void>((resolve) => {
          release = resolve
        })
        return new Response(slowly(ready), { headers: { 'content-type': 'text/event-stream' } })
      }
      case 'absurd':
        return jsonAnswer(chat.body({ input: 5_000_000, output: 20 }), 200, headers)
      case 'fail':
        return jsonAnswer({ error: { message: 'broken' } }, 500, headers)
      case 'failed body':
        return jsonAnswer(failedResponse(), 200, headers)
      case 'failed stream': {
        const event = { type: 'response.failed', sequence_number: 2, response: failedResponse() }
        const last = `event: response.failed\ndata: ${JSON.stringify(event)}\n\n`
        return sseAnswer(responses.first(tokens) + responses.piece('hel') + last, { headers })
      }
      default:
        return jsonAnswer(chat.body(tokens), 200, headers)
    }
  }

  async function disableToken() {
    const { admin } = running.instance.store
    const all = await admin.tokens({ account: ownAccount.email })
    const found = all.find(({ name }) => name === 'disabled')
    if (!found) throw new Error('There is no token to disable.')
    await admin.write({ tokens: [{ ...found, status: 'disabled' }] })
  }

  /** Asks and reads the answer whole; gives the request's id. */
  async function ask(path: string, body: object): Promise<string> {
    const response = await running.ask(path, { model: 'test-model', ...body }, ownKey)
    await response.text()
    return response.headers.get('x-request-id') ?? ''
  }

  const read = (id: string, { key = ownKey, accept, method = 'GET' }: ReadOptions = {}) =>
    fetch(`${running.serving.url}/v1/receipts/${id}`, {
      method,
      headers: { ...(key && { authorization: `Bearer ${key}` }), ...(accept && { accept }) },
      proxy: false,
    })

  return {
    upstream,
    running,
    ask,
    /** Asks in chat. */
    chat: (content: string, more: object = {}) =>
      ask('/v1/chat/completions', { messages: [{ role: 'user', content }], ...more }),
    /** Lets the stream of the question `wait` go on to its end. */
    release: () => release(),
    read,
    receipt: async (id: string) => (await (await read(id)).json()) as Receipt,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await upstream.stop()
    },
  }
}

interface ReadOptions {
  /** Null: no key. */
  readonly key?: string | null
  readonly accept?: string
  readonly method?: string
}

const flakyChannel = (upstream: string) => ({
  name: 'flaky',
  speaks: speaksAt(upstream),
  api_key: 'flaky-key',
  models: ['fragile'],
  allow_private: true,
})

const ownAccount = {
  email: 'own@example.com',
  balance: 1,
  tokens: Object.entries({ own: ownKey, sibling: siblingKey, disabled: disabledKey }).map(
    ([name, key]) => ({ name, key, group: 'default' }),
  ),
}

async function* slowly(ready: Promise<void>) {
  const encoder = new TextEncoder()
  yield encoder.encode(chat.first(tokens) + chat.piece('hello'))
  await ready
  yield encoder.encode(chat.last(tokens))
}
