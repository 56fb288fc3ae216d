import { describe, expect, test } from 'bun:test'
import type { CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import type { Framing } from '../../../src/protocols/protocol.ts'
import { validateBody, validateStream } from '../../support/validators/validate-stream.ts'
import { byteByByte, cutAtRandom } from '../feeding.ts'
import { expectedAnswer, shown } from './answer-expectation.ts'
import {
  contextFor,
  framesIn,
  framesOf,
  isWhole,
  type RecordedAnswer,
  readStream,
  recordedAnswers,
  withCustomTools,
  writeStream,
} from './answers.ts'
import { overTheWire, type Pair, pairs, protocols } from './pairs.ts'

const bodies = recordedAnswers.flatMap(({ body, ...rest }) => (body ? [{ ...rest, body }] : []))
const streams = recordedAnswers.flatMap(({ sse, ...rest }) => (sse ? [{ ...rest, sse }] : []))
type Stream = (typeof streams)[number]

const timeoutMs = 60_000

/** How many there are: whole, streamed to their end, and broken off by the upstream. */
const recorded = {
  chat: { whole: 195, streamed: 43, broken: 2 },
  responses: { whole: 197, streamed: 52, broken: 1 },
  messages: { whole: 182, streamed: 28, broken: 1 },
  gemini: { whole: 162, streamed: 17, broken: 0 },
} as const

/** Throws unless a client reads what the upstream has told. */
function expectEqual(
  { id, request }: Pick<RecordedAnswer, 'id' | 'request'>,
  { client }: Pair,
  first: CanonicalResponse,
  second: CanonicalResponse,
  form: 'whole' | 'stream',
): void {
  const expected = expectedAnswer(first, client, contextFor(request), form)
  expect({ id, answer: shown(second, client) }).toEqual({ id, answer: shown(expected, client) })
}

/** Takes a stream over; false when it ends with an error, which is told. */
function takeOver(stream: Stream, { client, upstream }: Pair, framing: Framing): boolean {
  const { id, request, sse } = stream
  const frames = framesIn(sse)
  const events = readStream(upstream, frames, contextFor(request))
  const first = foldEvents(events)
  const context = contextFor(withCustomTools(request, first), framing)
  const text = writeStream(client, events, context)
  const ending = isWhole(events) ? 'complete' : 'error'
  const violations = validateStream(client, text, { ending, usage: true, framing })
  expect({ id, violations }).toEqual({ id, violations: [] })
  if (ending === 'error') return false
  const second = foldEvents(readStream(client, framesIn(text, framing), context))
  expectEqual(stream, { client, upstream }, first, second, 'stream')
  return true
}

describe.skipIf(recordedAnswers.length === 0)('every recorded answer', () => {
  test(
    'S6: whole, byte by byte and cut at random its frames are the same',
    () => {
      // Frames are all that a translation sees of a stream: what follows need not be cut again.
      for (const [seed, { id, sse }] of streams.entries()) {
        const bytes = new TextEncoder().encode(sse)
        const whole = framesIn(sse)
        const cuts = [90, 2000].map((longest) => cutAtRandom(bytes, seed + longest, longest))
        // The longest are nearly all of the bytes: of those the random cuts are enough.
        const all = bytes.length < 60_000 ? [byteByByte(bytes), ...cuts] : cuts
        for (const [way, pieces] of all.entries()) {
          const isSame = Bun.deepEquals(framesOf(pieces), whole)
          expect({ id, way, isSame }).toEqual({ id, way, isSame: true })
        }
      }
    },
    timeoutMs,
  )

  test.each(pairs)('a whole one of $upstream is equal for a client of $client', (pair) => {
    const { client, upstream } = pair
    let count = 0
    for (const answer of bodies.filter((body) => body.upstream === upstream)) {
      const { id, request, body } = answer
      const first = protocols[upstream].codec.decodeResponse(body, contextFor(request))
      expect({ id, error: first.error }).toEqual({ id, error: undefined })
      const context = contextFor(withCustomTools(request, first))
      const told = overTheWire(protocols[client].codec.encodeResponse(first, context))
      expect({ id, violations: validateBody(client, told) }).toEqual({ id, violations: [] })
      const second = protocols[client].codec.decodeResponse(told, context)
      expectEqual(answer, pair, first, second, 'whole')
      count++
    }
    expect(count).toBe(recorded[upstream].whole)
  })

  test.each(pairs)('a streamed one of $upstream is equal for a client of $client', (pair) => {
    const counts = { streamed: 0, broken: 0 }
    for (const stream of streams.filter(({ upstream }) => upstream === pair.upstream)) {
      if (takeOver(stream, pair, 'sse')) counts.streamed++
      else counts.broken++
      // Without `alt=sse` clients of gemini read an array.
      if (pair.client === 'gemini') takeOver(stream, pair, 'json-array')
    }
    const { streamed, broken } = recorded[pair.upstream]
    expect(counts).toEqual({ streamed, broken })
  })
})
