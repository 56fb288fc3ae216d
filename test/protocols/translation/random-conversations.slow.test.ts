import { describe, expect, test } from 'bun:test'
import type { CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import { type ProtocolName, protocolNames } from '../../../src/protocols/protocol.ts'
import { rounds } from '../../support/rounds.ts'
import { validateBody, validateStream } from '../../support/validators/validate-stream.ts'
import { expectedAnswer, shown } from './answer-expectation.ts'
import { contextFor, framesIn, readStream, writeStream } from './answers.ts'
import { expectedRequest } from './expectation.ts'
import { bare, optionsFor, overTheWire, protocols } from './pairs.ts'
import { calledTools, randomAnswer, streamOf } from './random-answer.ts'
import { randomRequest } from './random-request.ts'
import { schemaFaults, withoutSchemas } from './schema-expectation.ts'
import { createSeeded } from './seeded.ts'
import { sendRequest } from './send-request.ts'

/** Of requests, and of answers, for each of four protocols: 10,000 of both. */
const count = rounds(500, 10_000)
const timeoutMs = 600_000

/** Comparing by JSON is the faster half: what differs is shown by the matcher. */
function expectSame(seed: number, actual: unknown, expected: unknown): void {
  if (!Bun.deepEquals(actual, expected))
    expect({ seed, actual }).toEqual({ seed, actual: expected })
}

describe('random conversations', () => {
  test.each(protocolNames)(
    'encoded for %s and decoded they are the same, in all that is carried',
    (upstream) => {
      // Whoever asks: only a prefill, which these have not, depends on it.
      const pair = { client: upstream === 'chat' ? 'responses' : 'chat', upstream } as const
      let carried = 0
      for (let seed = 0; seed < count; seed++) {
        const request = randomRequest(createSeeded(seed), upstream)
        try {
          const { fitted, again } = sendRequest(request, pair)
          const expected = expectedRequest(fitted, upstream, optionsFor(upstream).model)
          expectSame(seed, bare(withoutSchemas(again)), bare(withoutSchemas(expected)))
          expectSame(seed, schemaFaults(fitted, again, upstream), [])
          carried++
        } catch (error) {
          // Several answers, JSON mode, sound … not every protocol has.
          if (!(error instanceof TranslationError)) throw error
        }
      }
      expect(carried).toBeGreaterThan(count * 0.6)
    },
    timeoutMs,
  )
})

const asking = { model: '', stream: false, turns: [], tools: calledTools, native: [] }
const context = contextFor(asking)

/** The answer as a client reads it, and what the client was sent. */
function tell(client: ProtocolName, answer: CanonicalResponse) {
  const { codec } = protocols[client]
  const body = overTheWire(codec.encodeResponse(answer, context))
  return { violations: validateBody(client, body), told: codec.decodeResponse(body, context) }
}

describe('random answers', () => {
  test.each(protocolNames)(
    'a client of %s reads what was told, whole or streamed',
    (client) => {
      for (let seed = 0; seed < count; seed++) {
        const seeded = createSeeded(seed)
        const answer = randomAnswer(seeded)
        const whole = tell(client, answer)
        expectSame(seed, whole.violations, [])
        const expected = expectedAnswer(answer, client, context, 'whole')
        expectSame(seed, shown(whole.told, client), shown(expected, client))

        const events = streamOf(answer, seeded)
        const folded = foldEvents(events)
        expectSame(seed, bare(folded), bare(answer))
        const text = writeStream(client, events, context)
        expectSame(seed, validateStream(client, text, { usage: true }), [])
        const read = foldEvents(readStream(client, framesIn(text), context))
        const streamed = expectedAnswer(folded, client, context, 'stream')
        expectSame(seed, shown(read, client), shown(streamed, client))
      }
    },
    timeoutMs,
  )
})
