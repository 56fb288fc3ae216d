import { describe, expect, test } from 'bun:test'
import type { CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import { withoutExtras } from '../../../src/protocols/canonical/extras.ts'
import { emptyUsage } from '../../../src/protocols/canonical/usage.ts'
import { chat, chatCodec } from '../../../src/protocols/chat/index.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import { recordings } from '../../support/recordings.ts'
import { byteByByte, cutAtRandom, watch } from '../feeding.ts'
import { checkChunks } from './chunk-checker.ts'
import { bytes, context, decodeStream, folded, visible, wantsUsage, write } from './codec-scene.ts'

const answers = recordings.filter(({ protocol }) => protocol === 'chat')
const streams = answers.flatMap(({ id, sse }) => (sse === undefined ? [] : [{ id, sse }]))
const bodies = answers.flatMap(({ id, status, body }) =>
  status === 200 && isJsonObject(body) ? [{ id, body }] : [],
)
const errors = answers.flatMap(({ id, status, body }) =>
  status !== 200 && isJsonObject(body) ? [{ id, body }] : [],
)

describe.skipIf(answers.length === 0)('recorded chat streams', () => {
  test('there are as many as ever', () => {
    expect(streams.length).toBeGreaterThanOrEqual(45)
    expect(bodies.length).toBeGreaterThanOrEqual(195)
    expect(errors.length).toBeGreaterThanOrEqual(12)
  })

  test('S6: are the same events, whole, byte by byte and cut at random', () => {
    for (const { id, sse } of streams) {
      const all = bytes(sse)
      const whole = decodeStream([all])
      expect({ id, events: decodeStream(byteByByte(all)) }).toEqual({ id, events: whole })
      for (const seed of [1, 2, 3]) {
        const events = decodeStream(cutAtRandom(all, seed, 700))
        expect({ id, events }).toEqual({ id, events: whole })
      }
    }
  })

  test('T3, T4: hold all the text that the observer beside them counts', () => {
    for (const { id, sse } of streams) {
      const observer = chat.operations.completions.createObserver()
      watch(observer, sse)
      const { choices } = folded(decodeStream([bytes(sse)]))
      const seen = isDetailed.has(id) ? expect.anything() : observer.seen.text.length
      expect({ id, length: deliveredLength(choices) }).toEqual({ id, length: seen })
    }
  })

  test('have their usage, and end as they say', () => {
    for (const { id, sse } of streams) {
      const observer = chat.operations.completions.createObserver()
      watch(observer, sse)
      const { outcome, usage } = observer.seen
      const events = decodeStream([bytes(sse)])
      const response = folded(events)
      expect(events[0]?.type).toBe('start')
      if (outcome === 'failed') {
        expect({ id, last: events.at(-1)?.type }).toEqual({ id, last: 'error' })
      } else {
        expect({ id, last: events.at(-1)?.type }).toEqual({ id, last: 'end' })
        expect({ id, usage: response.usage }).toEqual({ id, usage: withoutExtras(usage) })
      }
    }
  })

  test('are written as good streams, which say the same again', () => {
    for (const { id, sse } of streams) {
      const events = decodeStream([bytes(sse)])
      if (events.at(-1)?.type !== 'end') continue
      const written = write(events)
      expect(() => checkChunks(written, true)).not.toThrow()
      expect(() => checkChunks(write(events, context()), false)).not.toThrow()
      const again = folded(decodeStream([bytes(written)]))
      expect({ id, answer: visible(again) }).toEqual({
        id,
        answer: filled(visible(folded(events))),
      })
    }
  })
})

describe.skipIf(answers.length === 0)('recorded chat answers', () => {
  test('are not empty where the vendor said something', () => {
    for (const { id, body } of bodies) {
      const observer = chat.operations.completions.createObserver()
      observer.pushBody(body)
      const { choices, usage } = chatCodec.decodeResponse(body, context())
      const seen = isDetailed.has(id) ? expect.anything() : observer.seen.text.length
      expect({ id, length: deliveredLength(choices) }).toEqual({ id, length: seen })
      expect({ id, usage }).toEqual({ id, usage: withoutExtras(observer.seen.usage) })
    }
  })

  test('are written so that they say the same again', () => {
    for (const { id, body } of bodies) {
      const answer = chatCodec.decodeResponse(body, context())
      const written = chatCodec.encodeResponse(answer, wantsUsage)
      const again = chatCodec.decodeResponse(written, context())
      expect({ id, answer: visible(again) }).toEqual({ id, answer: filled(visible(answer)) })
    }
  })

  test('that are errors have words', () => {
    for (const { id, body } of errors) {
      const { message } = chatCodec.decodeError(body)
      expect({ id, message }).toEqual({ id, message: expect.stringMatching(/\w+ \w+/) })
    }
  })
})

/** Their reasoning is in `reasoning_details` alone, which the observer does not look at. */
const isDetailed = new Set([
  'pai.test_snowflake.test_snowflake_thinking_streaming.01.f4d8e4',
  'pai.test_snowflake.test_snowflake_thinking.01.165e76',
])

/** As the observer counts: names and arguments of calls too. */
function deliveredLength(choices: CanonicalResponse['choices']): number {
  const texts = choices.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type === 'tool-call') return [part.name, part.input]
      return part.type === 'image' || part.type === 'search' ? [] : [part.text]
    }),
  )
  return texts.join('').length
}

/** What the upstream does not tell, the gateway fills in. */
function filled(answer: unknown): unknown {
  const { createdAt, estimatedInputTokens } = context()
  const usage = { ...emptyUsage, inputTokens: estimatedInputTokens }
  return { createdAt, usage, ...(isJsonObject(answer) ? answer : {}) }
}
