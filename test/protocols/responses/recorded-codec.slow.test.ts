import { describe, expect, test } from 'bun:test'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import type { Part, Turn } from '../../../src/protocols/canonical/request.ts'
import { changeParts } from '../../../src/protocols/canonical/turns.ts'
import { emptyUsage } from '../../../src/protocols/canonical/usage.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { responses } from '../../../src/protocols/responses/index.ts'
import { type Recording, recordings } from '../../support/recordings.ts'
import { byteByByte, cutAtRandom } from '../feeding.ts'
import {
  bare,
  bytesOf,
  context,
  decodeFrames,
  decodeRequest,
  encodeRequest,
  encodeStream,
  framesOf,
  unfold,
} from './scene.ts'
import { checkStream, type WireResponse } from './stream-checker.ts'

const own = recordings.filter(({ protocol, status }) => protocol === 'responses' && status === 200)
const requests = own.flatMap(({ id, path, request }) =>
  request && /\/responses$/.test(path ?? '') ? [{ id, body: request as JsonObject }] : [],
)
const streams = own.filter((recording): recording is Recording & { readonly sse: string } => {
  return recording.sse !== undefined
})
const answers = own.flatMap(({ id, body }) =>
  (body as JsonObject | undefined)?.object === 'response' ? [{ id, body: body as JsonObject }] : [],
)

const isCarried = (part: Part) => part.type !== 'reasoning' || part.signature !== undefined
const carried = (turns: readonly Turn[]) =>
  changeParts(turns, ({ parts }) => parts.filter(isCarried))

describe.skipIf(own.length === 0)('recorded responses', () => {
  test('a request to the canonical form and back is the same, in what is carried', () => {
    for (const { id, body } of requests) {
      const { toolChoice, ...decoded } = decodeRequest(body)
      const again = decodeRequest(encodeRequest({ ...decoded, toolChoice }))
      const hasTools = decoded.tools.length > 0 || decoded.webSearch !== undefined
      const choice = hasTools ? toolChoice : undefined
      const expected = {
        ...decoded,
        model: 'up',
        turns: carried(decoded.turns),
        toolChoice: choice,
      }
      expect({ id, request: bare(again) }).toEqual({ id, request: bare(expected) })
    }
    expect(requests.length).toBeGreaterThan(180)
  })

  test('every item of a request is in a turn, or named', () => {
    for (const { id, body } of requests) {
      const items = Array.isArray(body.input) ? body.input : []
      const { turns, native, tools } = decodeRequest(body)
      const told = JSON.stringify([turns, native])
      const names = new Set<unknown>(tools.map(({ name }) => name))
      const missing = items.flatMap((item: JsonObject, index) => {
        const added = (item.tools ?? []) as readonly JsonObject[]
        const isTold =
          told.includes(`"input[${index}]`) || added.some(({ name }) => names.has(name))
        return isTold || isEmpty(item) ? [] : [item.type ?? item.role]
      })
      expect({ id, missing }).toEqual({ id, missing: [] })
    }
  })

  test('a stream is the same whole, byte by byte and cut at random', () => {
    for (const { id, sse } of streams) {
      const bytes = bytesOf(sse)
      const whole = decodeFrames(framesOf([bytes]))
      expect({ id, events: decodeFrames(framesOf(byteByByte(bytes))) }).toEqual({
        id,
        events: whole,
      })
      expect({ id, events: decodeFrames(framesOf(cutAtRandom(bytes, 7, 200))) }).toEqual({
        id,
        events: whole,
      })
    }
    expect(streams.length).toBeGreaterThan(50)
  })

  test('T10: a stream amounts to what its own last event tells, nothing lost and nothing twice', () => {
    for (const { id, sse } of streams) {
      const frames = framesOf([bytesOf(sse)])
      const folded = foldEvents(decodeFrames(frames))
      const last = frames
        .map(({ data }) => (data.startsWith('{') ? JSON.parse(data) : {}))
        .find(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type))
      const whole = responses.codec.decodeResponse(last.response, context)
      expect({ id, answer: comparable(folded) }).toEqual({ id, answer: comparable(whole) })
    }
  })

  test('an answer is its final text and its calls', () => {
    for (const { id, body } of answers) {
      const { choices, usage } = responses.codec.decodeResponse(body, context)
      const parts = choices[0]?.parts ?? []
      const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')
      const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.input] : []))
      expect({ id, text, calls }).toEqual({ id, ...outputOf(body) })
      expect({ id, hasUsage: usage !== undefined }).toEqual({ id, hasUsage: body.usage != null })
    }
    expect(answers.length).toBeGreaterThan(150)
  })

  test('what a client is told is what the upstream has told, streamed or not', () => {
    for (const { id, body } of answers) {
      const answer = responses.codec.decodeResponse(body, context)
      const unstreamed = responses.codec.encodeResponse(answer, context)
      const streamed = checkStream(encodeStream(unfold(answer)))
      expect({ id, response: streamed }).toEqual({ id, response: wire(unstreamed) })
      const again = responses.codec.decodeResponse(streamed, context)
      expect({ id, answer: told(again) }).toEqual({ id, answer: told(withGuesses(answer)) })
    }
  })

  test('every recorded stream, written for a client, is in the vendor’s order', () => {
    for (const { id, sse } of streams) {
      const events = decodeFrames(framesOf([bytesOf(sse)]))
      if (events.some(({ type }) => type === 'error')) continue
      const response = checkStream(encodeStream(events))
      const again = responses.codec.decodeResponse(response, context)
      expect({ id, answer: told(again) }).toEqual({
        id,
        answer: told(withGuesses(foldEvents(events))),
      })
    }
  })
})

/** A message without a word, or reasoning that the vendor keeps. */
const isEmpty = ({ content, summary }: JsonObject) =>
  content === '' || /^\[(\{[^}]*"text":""[^}]*\})?\]$/.test(JSON.stringify(content ?? summary))

type Answer = ReturnType<typeof foldEvents>

/** T18, T19: what the upstream does not tell the gateway does: usage as estimated, and the time. */
const withGuesses = (answer: Answer): Answer => {
  const estimate = { ...emptyUsage, inputTokens: context.estimatedInputTokens }
  const createdAt = answer.createdAt ?? context.createdAt
  return { ...answer, createdAt, usage: answer.usage ?? estimate }
}

/** The vendor encrypts anew for its last event, and some vendors give other ids there. */
function comparable(answer: Answer): unknown {
  const choices = answer.choices.map(({ parts, ...choice }) => ({
    ...choice,
    parts: parts.map((part) =>
      part.type === 'reasoning'
        ? { text: part.text, isSigned: part.signature !== undefined }
        : part,
    ),
  }))
  return bare({ ...answer, id: undefined, choices: answer.error ? [] : choices })
}

/** Texts of a message become parts of one; ids, the model and places that are not told are ours. */
function told({ choices, usage, createdAt }: Answer): unknown {
  const parts = choices.flatMap((choice) =>
    choice.parts.map((part) => {
      if (part.type === 'reasoning') return { ...part, id: undefined }
      if (part.type !== 'text') return part
      const citations = part.citations?.map((citation) =>
        citation.type === 'url' && citation.end === undefined
          ? { ...citation, start: 0, end: part.text.length }
          : citation,
      )
      return { ...part, citations }
    }),
  )
  return bare({ parts, usage, createdAt })
}

/** A body as it is on the wire. */
const wire = (body: JsonObject): WireResponse => JSON.parse(JSON.stringify(body))

/** The text and the calls of a response, read in the plainest way. */
function outputOf(body: JsonObject) {
  const items = (body.output ?? []) as readonly JsonObject[]
  const contents = items.flatMap(({ content }) => (content ?? []) as readonly JsonObject[])
  return {
    text: contents
      .filter(({ type }) => type === 'output_text')
      .map(({ text }) => text)
      .join(''),
    calls: items
      .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
      .map((item) => `${item.arguments ?? item.input}`),
  }
}
