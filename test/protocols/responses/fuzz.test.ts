import { expect, test } from 'bun:test'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { responses } from '../../../src/protocols/responses/index.ts'
import { createDice } from '../../support/random.ts'
import { recordings } from '../../support/recordings.ts'
import { context, decodeFrames, encodeStream } from './scene.ts'
import { checkStream } from './stream-checker.ts'

type Dice = ReturnType<typeof createDice>

/** Blocks of all kinds, begun and ended anyhow, and pieces for those that are open or are not. */
function anyEvents(dice: Dice): AnswerEvent[] {
  const events: AnswerEvent[] = [{ type: 'start' }]
  const open: { id: string; kind: 'text' | 'reasoning' | 'refusal' | 'tool-call' }[] = []
  for (let count = 0; count < 40; count++) {
    const roll = dice(10)
    const at = dice(Math.max(1, open.length))
    const block = open[at]
    if (roll < 3 || block === undefined) {
      const id = `${count}`
      const kind = (['text', 'reasoning', 'refusal', 'tool-call'] as const)[dice(4)] ?? 'text'
      const choice = dice(8) === 0 ? 1 : 0
      const custom = dice(2) === 0 ? 'custom' : 'function'
      open.push({ id, kind })
      if (kind === 'tool-call') {
        events.push({
          type: 'tool-call-start',
          id,
          choice,
          callId: `c${id}`,
          name: 'f',
          kind: custom,
        })
      } else events.push({ type: `${kind}-start`, id, choice })
    } else if (roll < 8) {
      events.push({
        type: `${block.kind}-delta`,
        id: block.id,
        text: ['', 'a', '{"é\u2028"'][dice(3)] ?? '',
      })
    } else {
      events.push({ type: `${block.kind}-end`, id: block.id })
      if (dice(5) > 0) open.splice(at, 1)
    }
  }
  return [...events, { type: 'finish', choice: 0, reason: 'stop' }, { type: 'end' }]
}

test('whatever comes, a client’s stream is in order and whole', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const events = anyEvents(createDice(seed))
    checkStream(encodeStream(events))
    const encoder = responses.codec.createEncoder(context)
    const begun = events.slice(0, seed % events.length).map((event) => encoder.push(event))
    const failure = { status: 502, code: 'x', message: 'y', param: undefined, requestId: 'r' }
    if (!begun.join('').includes('response.completed')) {
      checkStream(begun.join('') + encoder.fail(failure))
    }
  }
})

/** The same value with some of its members replaced, dropped or doubled. */
function damage(value: unknown, dice: Dice): unknown {
  const roll = dice(40)
  if (roll === 0) return [null, 7, 'x', [], {}, true, -1][dice(7)]
  if (Array.isArray(value)) {
    const list = value.flatMap((item) => (dice(30) === 0 ? [] : [damage(item, dice)]))
    return dice(20) === 0 ? [...list, ...list] : list
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, damage(member, dice)])
  return Object.fromEntries(members.filter(() => dice(30) > 0))
}

const own = recordings.filter(({ protocol, status }) => protocol === 'responses' && status === 200)

test.skipIf(own.length === 0)('no damaged request does more than be refused', () => {
  for (const [seed, { request }] of own.entries()) {
    if (request === undefined) continue
    for (let round = 0; round < 3; round++) {
      const body = damage(request, createDice(seed * 3 + round + 1))
      if (typeof body !== 'object' || body === null) continue
      try {
        const decoded = responses.codec.decodeRequest(body as JsonObject, {
          model: 'm',
          stream: false,
        })
        const options = { model: 'm', quirks: new Set<never>(), defaultMaxOutputTokens: 1 }
        JSON.stringify(responses.codec.encodeRequest(decoded, options))
      } catch (error) {
        expect(error).toBeInstanceOf(TranslationError)
      }
    }
  }
})

test.skipIf(own.length === 0)('no damaged answer throws, and what comes of it is in order', () => {
  for (const [seed, { body, sse }] of own.entries()) {
    const dice = createDice(seed + 1)
    if (body !== undefined) {
      const damaged = damage(body, dice)
      if (typeof damaged !== 'object' || damaged === null) continue
      const answer = responses.codec.decodeResponse(damaged as JsonObject, context)
      JSON.stringify(responses.codec.encodeResponse(answer, context))
      responses.codec.decodeError(damaged as JsonObject)
    }
    const frames = (sse ?? '').split(/\n\n/).flatMap((frame) => {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      const parsed = data?.startsWith('{') ? JSON.stringify(damage(JSON.parse(data), dice)) : data
      return parsed === undefined || dice(15) === 0 ? [] : [{ data: parsed, event: '' }]
    })
    const events = decodeFrames(frames)
    const order = events.map(({ type }) => type)
    expect(order.filter((type) => type === 'start').length).toBeLessThanOrEqual(1)
    if (order.at(-1) === 'end') checkStream(encodeStream(events))
  }
})
