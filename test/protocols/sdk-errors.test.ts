import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { Operation, Protocol, ProtocolError } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { fixture, watch } from './feeding.ts'

const error: ProtocolError = {
  status: 502,
  code: 'upstream_error',
  message: 'The upstream broke off.',
  param: undefined,
  requestId: 'req_1',
}

/** A `fetch` that answers with a stream which ends in our own error. */
const answering = (text: string) => () =>
  Promise.resolve(new Response(text, { headers: { 'content-type': 'text/event-stream' } }))

/** The whole frames of a fixture, and the gateway's error behind them. */
function brokenOff(protocol: Protocol, operation: Operation, name: string, until: string): string {
  const text = new TextDecoder().decode(fixture(name))
  const begun = text.slice(0, text.indexOf(until))
  const observer = operation.createObserver()
  watch(observer, begun)
  const answer = observer.seen
  return (
    begun +
    protocol.encodeStreamError({ ...error, answer }, { framing: 'sse', library: '' }, begun === '')
  )
}

async function drained(stream: AsyncIterable<unknown>): Promise<number> {
  let events = 0
  for await (const _ of stream) events++
  return events
}

const openai = (text: string) =>
  new OpenAI({
    apiKey: 'k',
    baseURL: 'http://127.0.0.1:9/v1',
    fetch: answering(text),
    maxRetries: 0,
  })

describe('the vendors’ SDKs and an error inside a stream', () => {
  test('openai raises the error of a chat stream', async () => {
    const { completions } = chat.operations
    const text = brokenOff(chat, completions, 'chat/error-in-stream.sse', 'data: {"error"')
    const stream = await openai(text).chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      stream: true,
    })
    const failure = await drained(stream).catch((caught: unknown) => caught)
    expect(failure).toBeInstanceOf(OpenAI.APIError)
    expect((failure as Error).message).toContain('The upstream broke off.')
  })

  test.each(['event: error', 'event: response.created'])(
    'openai raises the error of a response, up to %j',
    async (until) => {
      const operation = responses.operations.responses
      const text = brokenOff(responses, operation, 'responses/error-in-stream.sse', until)
      const asked = { model: 'm', input: 'x' }
      const raised = await Promise.all([
        openai(text)
          .responses.create({ ...asked, stream: true })
          .then(drained)
          .catch((caught: unknown) => caught),
        openai(text)
          .responses.stream(asked)
          .finalResponse()
          .catch((caught: unknown) => caught),
      ])
      for (const failure of raised) {
        expect(failure).toBeInstanceOf(OpenAI.APIError)
        expect(failure).toMatchObject({
          code: 'upstream_error',
          message: 'The upstream broke off.',
        })
      }
    },
  )

  test('anthropic raises the error event', async () => {
    const operation = messages.operations.messages
    const text = brokenOff(messages, operation, 'messages/error-in-stream.sse', 'event: error')
    const client = new Anthropic({
      apiKey: 'k',
      baseURL: 'http://127.0.0.1:9',
      fetch: answering(text),
      maxRetries: 0,
    })
    const stream = await client.messages.create({
      model: 'm',
      max_tokens: 5,
      messages: [{ role: 'user', content: 'x' }],
      stream: true,
    })
    const failure = await drained(stream).catch((caught: unknown) => caught)
    expect(failure).toBeInstanceOf(Anthropic.APIError)
    expect((failure as Error).message).toContain('The upstream broke off.')
  })

  test('google raises the error chunk', async () => {
    const operation = gemini.operations.generate
    const text = brokenOff(gemini, operation, 'gemini/error-in-stream.sse', 'data: {"error"')
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answering(text) })
    try {
      const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: server.url.href } })
      const stream = await client.models.generateContentStream({ model: 'm', contents: 'x' })
      const failure = await drained(stream).catch((caught: unknown) => caught)
      expect(failure).toBeInstanceOf(Error)
      expect((failure as Error).message).toContain('The upstream broke off.')
    } finally {
      await server.stop(true)
    }
  })
})
