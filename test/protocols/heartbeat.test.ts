import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { framesOf } from './responses/scene.ts'

// What a client hears in a silence, by what its library can read.

const sse = (library = '') => ({ framing: 'sse', library }) as const
const inside = { isFirst: false }
const noted = { isFirst: false, note: 'x-tollgate-dropped: seed' }
const framesIn = (text: string) => framesOf([new TextEncoder().encode(text)])

test('chat and responses have a comment', () => {
  for (const protocol of [chat, responses]) {
    expect(protocol.heartbeat(sse('OpenAI/JS 7.55.0'), inside)).toBe(': keep-alive\n\n')
    expect(protocol.heartbeat(sse(), noted)).toBe(': x-tollgate-dropped: seed\n\n')
    // Its empty line would be an event without data there.
    expect(protocol.heartbeat(sse('OpenAI/Go 1.12.0'), inside)).toBe(': keep-alive\n')
  }
})

test('messages has the vendor’s ping', () => {
  const [frame] = framesIn(messages.heartbeat(sse(), inside))
  expect(frame).toMatchObject({ event: 'ping', data: '{"type": "ping"}' })
  expect(framesIn(messages.heartbeat(sse(), noted))).toEqual([])
})

describe('gemini has a chunk', () => {
  const partOf: readonly (readonly [string, object | undefined])[] = [
    ['google-genai-sdk/1.45.0 gl-python/3.11.7', { text: ' ', thought: true }],
    ['google-genai-sdk/1.77.0 gl-go/go1.26', { text: ' ', thought: true }],
    ['genai-js/0.24.1', undefined],
    ['ai-sdk/google/3.0.141 runtime/node.js', { text: '' }],
    ['', { text: '' }],
  ]

  test.each(partOf)('for %j', (library, part) => {
    const text = gemini.heartbeat(sse(library), inside)
    expect(text).toEndWith('\r\n\r\n')
    const content = part && { parts: [part], role: 'model' }
    const candidates = content === undefined ? [] : [{ content, index: 0 }]
    expect(framesIn(text).map(({ data }) => JSON.parse(data))).toEqual([{ candidates }])
  })

  test('in which it is told what came too late for a header', () => {
    const [frame] = framesIn(gemini.heartbeat(sse(), noted))
    expect(JSON.parse(frame?.data ?? '')).toMatchObject({ gatewayNote: noted.note })
  })

  test('and no text that is counted, or taken for the end', () => {
    for (const [library] of partOf) {
      const observer = gemini.generation.createObserver()
      for (const { data, event } of framesIn(gemini.heartbeat(sse(library), inside)))
        observer.push(data, event)
      expect(observer.seen).toMatchObject({ phase: 'open', outcome: undefined, usage: undefined })
    }
  })
})

test('an array of gemini has its bracket, and then space', () => {
  const array = { framing: 'json-array', library: '' } as const
  expect(gemini.heartbeat(array, { isFirst: true })).toBe('[')
  expect(gemini.heartbeat(array, inside)).toBe('\n')
})
