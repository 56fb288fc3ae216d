import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { responses } from '../../../src/protocols/responses/index.ts'
import { recordings } from '../../support/recordings.ts'
import { bytesOf, context, decodeFrames, encodeStream, framesOf } from './scene.ts'
import { checkStream } from './stream-checker.ts'

/** What OpenAI's SDK makes of a stream. It checks ids, places and kinds, and throws. */
const accumulate = (text: string) => streamOf(text).finalResponse()

function streamOf(text: string) {
  const answer = new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  const client = new OpenAI({
    apiKey: 'k',
    baseURL: 'http://127.0.0.1:9/v1',
    fetch: () => Promise.resolve(answer),
    maxRetries: 0,
  })
  return client.responses.stream({ model: 'm', input: 'x' })
}

const streams = recordings.flatMap(({ id, protocol, status, sse }) =>
  protocol === 'responses' && status === 200 && sse !== undefined ? [{ id, sse }] : [],
)

describe('OpenAI’s SDK', () => {
  test.skipIf(streams.length === 0)(
    'takes every recorded stream as it is written here',
    async () => {
      for (const { id, sse } of streams) {
        const events = decodeFrames(framesOf([bytesOf(sse)]))
        if (events.some(({ type }) => type === 'error')) continue
        const stream = encodeStream(events)
        const expected = checkStream(stream)
        const { output, output_text } = await accumulate(stream)
        const words = expected.output.flatMap(
          ({ content }) => content?.map(({ text }) => text) ?? [],
        )
        expect({ id, text: output_text }).toEqual({ id, text: words.join('') })
        expect({ id, types: output.map(({ type }) => type) }).toEqual({
          id,
          types: expected.output.map(({ type }) => type) as never,
        })
      }
    },
  )

  test('has all that came when the stream breaks off in the middle of an item', async () => {
    const encoder = responses.codec.createEncoder(context)
    const events: AnswerEvent[] = [
      { type: 'start' },
      { type: 'tool-call-start', id: 'a', choice: 0, callId: 'c', name: 'f', kind: 'function' },
      { type: 'tool-call-delta', id: 'a', text: '{}' },
      { type: 'tool-call-end', id: 'a' },
      { type: 'text-start', id: 'b', choice: 0 },
      { type: 'text-delta', id: 'b', text: 'Hel' },
    ]
    const begun = events.map((event) => encoder.push(event)).join('')
    const failure = { status: 502, code: 'upstream_error', message: 'Broke off.', requestId: 'r1' }
    const stream = streamOf(begun + encoder.fail({ ...failure, param: undefined }))
    let text = ''
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta
    })
    const raised = await stream.finalResponse().catch((caught: unknown) => caught)
    expect(raised).toMatchObject({ code: 'upstream_error', message: 'Broke off.' })
    expect(text).toBe('Hel')
  })
})
