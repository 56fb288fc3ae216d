import { allDialects, type Dialect, wholeStream } from '../e2e/dialects.ts'
import { type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { shownModels } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

export const model = 'test-model'
export const limitedKey = 'sk-limited-0123456789abcdefghijklm'
export const tokens = { input: 30, output: 7 }
export const foreign = allDialects.filter(({ name }) => name !== 'responses')
const textOf = (value: unknown) => JSON.stringify(value)
/** What an upstream was told of the conversation last. */
export const conversationOf = (upstream: FakeUpstream): string => {
  const asked = upstream.last().json() as Record<string, unknown>
  return textOf(asked.messages ?? asked.contents ?? asked.input)
}

let made = 0
/** A native upstream's: it keeps nothing that it is not told to. */
function nativeStream(asked: string): string {
  const { store } = JSON.parse(asked) as { store?: boolean }
  const id = `resp_${++made}`
  const message = {
    ...{ type: 'message', id: `msg_${made}`, role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
  }
  const response = { id, object: 'response', model, store: store ?? true }
  const usage = { input_tokens: 30, output_tokens: 7, total_tokens: 37 }
  const thought = { type: 'reasoning', id: `rs_${made}`, summary: [] }
  const output = [thought, message]
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_text.delta', item_id: message.id, output_index: 1, delta: 'Hello.' },
    { type: 'response.completed', response: { ...response, status: 'completed', output, usage } },
  ]
    .map((event) => `event: ${event.type}\ndata: ${textOf(event)}\n\n`)
    .join('')
}

/** An upstream that answers each request by a stream. */
export const answering = (dialect: Dialect) =>
  startFakeUpstream(({ text }) =>
    sseAnswer(
      dialect.name === 'responses'
        ? nativeStream(text())
        : wholeStream(dialect, tokens, ['Hel', 'lo.']),
    ),
  )

/** A gateway before it, with an account of small limits beside the usual one. */
export async function startGateway(upstream: FakeUpstream, dialect: Dialect): Promise<Running> {
  const token = { name: 'limited', key: limitedKey, group: 'default' }
  return await startServing({
    ...{ upstream: upstream.url, speaks: [dialect.name], models: shownModels },
    moreAccounts: [
      { email: 'limited@example.com', balance: 1, tokens: [{ ...token, limits: { rpm: 2 } }] },
    ],
  })
}
