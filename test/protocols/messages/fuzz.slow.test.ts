import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { createDice } from '../../support/random.ts'
import { recordings } from '../../support/recordings.ts'
import { checkStream } from './check-stream.ts'
import { contextOf, overTheWire } from './codec-support.ts'

type Dice = ReturnType<typeof createDice>

const odd: readonly unknown[] = [
  null,
  undefined,
  0,
  -1,
  1.5,
  '',
  'x',
  true,
  [],
  {},
  [null],
  '\ud83d',
]

/** The value with something within it replaced. */
function mutate(value: unknown, dice: Dice): unknown {
  if (typeof value !== 'object' || value === null || dice(4) === 0) return odd[dice(odd.length)]
  const copy = structuredClone(value) as Record<string, unknown>
  const keys = Object.keys(copy)
  const key = keys[dice(keys.length)]
  if (key !== undefined) copy[key] = mutate(copy[key], dice)
  return copy
}

const messages = recordings.filter(({ protocol }) => protocol === 'messages')
const streams = messages.flatMap(({ sse }) => (sse === undefined ? [] : [sse]))
const requests = messages.flatMap(({ request }) => (request ? [request as JsonObject] : []))
const bodies = messages.flatMap(({ body }) => (body ? [body as JsonObject] : []))

const context = contextOf({ tools: [{ kind: 'custom', name: 'test-tool' }] })

describe.skipIf(messages.length === 0)('whatever comes', () => {
  test('a stream is read without a throw, and written as a stream', () => {
    const dice = createDice(1)
    let mutated = 0
    for (let round = 0; round < 12; round++) {
      for (const sse of streams) {
        const events = sse.split('\n').filter((line) => line.startsWith('data: '))
        const decoder = messagesCodec.createDecoder(context)
        const encoder = messagesCodec.createEncoder(context)
        const seen: AnswerEvent[] = []
        let written = ''
        const take = (some: readonly AnswerEvent[]) => {
          seen.push(...some)
          for (const event of some) written += encoder.push(event)
        }
        for (const line of events.slice(0, 80)) {
          const data = JSON.parse(line.slice(6))
          const change = dice(12)
          if (change > 2) take(decoder.push(JSON.stringify(data), data.type))
          if (change < 2) take(decoder.push(`${JSON.stringify(mutate(data, dice))}`, data.type))
          if (change === 1) take(decoder.push(JSON.stringify(data), ''))
          if (change < 3) mutated++
        }
        take(decoder.end())
        foldEvents(seen)
        if (seen.at(-1)?.type === 'end') checkStream(written)
      }
    }
    expect(mutated).toBeGreaterThan(3000)
  })

  test('any events at all are written without a throw', () => {
    const dice = createDice(2)
    const ids = ['a', 'b', 'c']
    const types = ['text', 'reasoning', 'refusal', 'tool-call']
    const steps = ['start', 'delta', 'end']
    for (let round = 0; round < 300; round++) {
      const encoder = messagesCodec.createEncoder(context)
      let written = encoder.push({ type: 'start' })
      for (let count = dice(40); count > 0; count--) {
        const event = {
          type: `${types[dice(4)]}-${steps[dice(3)]}`,
          id: ids[dice(3)],
          choice: dice(8) === 0 ? 1 : 0,
          text: 'x',
          callId: 'c',
          name: 'n',
          kind: dice(2) === 0 ? 'custom' : 'function',
        }
        // What no decoder sends: ends before starts, deltas of another kind.
        written += encoder.push(event as AnswerEvent)
      }
      written += encoder.push({ type: 'end' })
      expect(written).toEndWith('data: {"type":"message_stop"}\n\n')
    }
  })

  test('a request is read, or refused with a path; and what is read can be written', () => {
    const dice = createDice(3)
    const options = { model: 'm', quirks: new Set([]), defaultMaxOutputTokens: 4096 }
    let refused = 0
    for (let round = 0; round < 25; round++) {
      for (const request of requests) {
        const body = overTheWire(mutate(mutate(request, dice), dice) ?? {})
        if (typeof body !== 'object' || body === null || Array.isArray(body)) continue
        try {
          const decoded = messagesCodec.decodeRequest(body, { model: 'm', stream: false })
          messagesCodec.findFault?.(decoded)
          JSON.stringify(messagesCodec.encodeRequest(decoded, options))
        } catch (error) {
          if (!(error instanceof TranslationError) || error.fault.param === '') throw error
          refused++
        }
      }
    }
    expect(refused).toBeGreaterThan(100)
  })

  test('a whole answer is read and written without a throw', () => {
    const dice = createDice(4)
    for (let round = 0; round < 15; round++) {
      for (const body of bodies) {
        const mutated = { ...body, content: mutate(body.content, dice) }
        const response = messagesCodec.decodeResponse(overTheWire(mutated), context)
        JSON.stringify(messagesCodec.encodeResponse(response, context))
        messagesCodec.decodeError(overTheWire({ error: mutate(body, dice) ?? null }))
      }
    }
  })
})
