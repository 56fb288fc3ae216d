import { describe, expect, test } from 'bun:test'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import type { AnswerEvent, CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import type { CanonicalRequest, ReasoningPart } from '../../../src/protocols/canonical/request.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import {
  createEventSealer,
  openRequest,
  sealResponse,
} from '../../../src/protocols/translation/seal.ts'
import {
  contextFor,
  framesIn,
  isWhole,
  type RecordedAnswer,
  readStream,
  recordedAnswers,
  withCustomTools,
  writeStream,
} from './answers.ts'
import { bare, overTheWire, type Pair, pairs, protocols } from './pairs.ts'
import { bodyAfter, gather, withoutThoughts } from './replay.ts'
import { sendRequest } from './send-request.ts'

const sealer = createSecretBox('a secret').texts
const origin = 'some vendor.example'
const elsewhere = 'some other.example'

const reasoningOf = (parts: readonly { readonly type: string }[]) =>
  parts.filter((part): part is ReasoningPart => part.type === 'reasoning')

/** What the upstream has said it thought, and the first choice's events or the whole of it. */
function firstOf({ upstream, request, body, sse = '' }: RecordedAnswer) {
  const context = contextFor(request)
  const { codec } = protocols[upstream]
  const events = body ? [] : readStream(upstream, framesIn(sse), context)
  const whole = body ? codec.decodeResponse(body, context) : foldEvents(events)
  const said = reasoningOf(whole.choices[0]?.parts ?? [])
  return { events, whole, said: said.filter(({ text, signature }) => text !== '' || signature) }
}

/** What the client's next body holds of an answer that it got sealed. */
function nextBody(
  { client }: Pair,
  request: CanonicalRequest,
  whole: CanonicalResponse,
  events: readonly AnswerEvent[],
): JsonObject {
  const context = contextFor(withCustomTools(request, whole))
  if (events.length > 0) {
    const sealed = events.map(createEventSealer(origin, sealer))
    return bodyAfter(client, gather(client, writeStream(client, sealed, context)))
  }
  const sealed = sealResponse(whole, origin, sealer)
  return bodyAfter(client, overTheWire(protocols[client].codec.encodeResponse(sealed, context)))
}

/** Of an answer that broke off clients keep nothing. */
const withReasoning = recordedAnswers.flatMap((answer) => {
  const first = firstOf(answer)
  const isBroken = first.events.length > 0 && !isWhole(first.events)
  return first.said.length > 0 && !isBroken ? [{ ...answer, ...first }] : []
})
const target = { model: 'm', stream: false }

describe.skipIf(recordedAnswers.length === 0)('recorded reasoning', () => {
  test.each(pairs)('T6 T8 T9 T10: of $upstream comes back by clients of $client, once', (pair) => {
    const { client, upstream } = pair
    const { codec, generation } = protocols[client]
    let signatures = 0
    for (const { id, request, whole, events, said } of of(upstream)) {
      const body = overTheWire(nextBody(pair, request, whole, events))
      expect({ id, fault: generation.check(body) }).toEqual({ id, fault: undefined })
      const kept = client === 'gemini' ? [body, withoutThoughts(body)] : [body]
      for (const one of kept) {
        const opened = openRequest(codec.decodeRequest(one, target), origin, sealer)
        expect({ id, roles: opened.turns.map(({ role }) => role) }).toEqual({
          id,
          roles: ['user', 'assistant', 'user'],
        })
        const back = reasoningOf(opened.turns[1]?.parts ?? [])
        expect({ id, back: bare(back) }).toEqual({ id, back: bare(said.map(asOwn)) })
        const ofSearches = new Set<string>(['hosted_item', 'search_history'])
        expect(opened.native.filter(({ feature }) => !ofSearches.has(feature))).toEqual([])
        expectOnTheWire(id, opened, pair, said)
      }
      signatures += said.filter(isSigned).length
    }
    expect(signatures).toBe(counts[upstream])
  })

  test.each(pairs)(
    'T8: of $upstream goes to nobody else by clients of $client, and is named',
    (pair) => {
      const { codec } = protocols[pair.client]
      for (const { id, request, whole, events, said } of of(pair.upstream)) {
        const body = overTheWire(nextBody(pair, request, whole, events))
        const opened = openRequest(codec.decodeRequest(body, target), elsewhere, sealer)
        const { dropped, body: sent } = sendRequest(opened, pair)
        const text = JSON.stringify(sent)
        for (const { signature } of said) {
          if (signature !== undefined)
            expect({ id, has: text.includes(signature) }).toEqual({ id, has: false })
        }
        expect({ id, has: text.includes('tgs1.') }).toEqual({ id, has: false })
        expect({ id, isNamed: dropped.length > 0 }).toEqual({ id, isNamed: true })
      }
    },
  )
})

const of = (upstream: Pair['upstream']) =>
  withReasoning.filter((answer) => answer.upstream === upstream)

/** How many signatures there are. */
const counts = { chat: 7, responses: 105, messages: 38, gemini: 113 }

/** What the vendor has not signed is known as its own by the seal. */
const asOwn = (part: ReasoningPart): ReasoningPart =>
  isSigned(part) ? part : { ...part, isOwn: true }

const isSigned = ({ signature }: ReasoningPart) => signature !== undefined
const placeOf = ({ signature, callId }: ReasoningPart) => [signature, callId]

/** The vendor gets what it gave, once; chat's upstreams have no place for it. */
function expectOnTheWire(
  id: string,
  opened: CanonicalRequest,
  pair: Pair,
  said: readonly ReasoningPart[],
): void {
  if (pair.upstream === 'chat') return
  const { body, again } = sendRequest(opened, pair)
  const read = again.turns.flatMap(({ parts }) => reasoningOf(parts))
  // Each is where it was: with gemini on its call.
  expect({ id, read: read.map(placeOf) }).toEqual({ id, read: said.filter(isSigned).map(placeOf) })
  const text = JSON.stringify(body)
  for (const { signature } of said) {
    if (signature === undefined) continue
    const times = text.split(JSON.stringify(signature)).length - 1
    expect({ id, times }).toEqual({ id, times: 1 })
  }
}
