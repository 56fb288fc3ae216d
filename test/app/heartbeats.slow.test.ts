import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  allDialects,
  costNano,
  countBeats as countOf,
  type Dialect,
  dialects,
  wholeStream,
  withoutBeats as without,
} from '../e2e/dialects.ts'
import { geminiArray } from '../e2e/translated.ts'
import { until } from '../e2e/until.ts'
import type { FaultRequest } from '../support/fault/requests.ts'
import {
  chunk,
  end,
  gate,
  httpBytes,
  httpHead,
  lastChunk,
  type Steps,
  stall,
  wait,
  write,
} from '../support/fault/steps.ts'
import { dialectOf, usualTokens, wellWhole, words } from '../support/fault/well.ts'
import { type Heard, type HeartbeatScene, heartbeat, startHeartbeats } from './heartbeat-scene.ts'

// S1, S2: what a client hears while its upstream is silent, a hundred times as fast as it is.
// test/long/long-silence.test.ts takes its time.

let scene: HeartbeatScene
beforeAll(async () => {
  scene = await startHeartbeats()
})
afterAll(() => scene[Symbol.asyncDispose]())

const head = write(httpHead({ type: 'text/event-stream', framing: 'chunked' }))
const whole = (dialect: Dialect) => wholeStream(dialect, usualTokens, words)
const soon = (request: FaultRequest): Steps => [
  head,
  write(chunk(whole(dialectOf(request)))),
  write(lastChunk),
]
/** A stream whose head is as late as its answer. */
const late =
  (beats: number) =>
  (request: FaultRequest): Steps => [scene.untilBeats(dialectOf(request), beats), ...soon(request)]

/** What all four protocols have in common is looked at for all of them at the same time. */
const inEach = (look: (dialect: Dialect) => Promise<void>) => Promise.all(allDialects.map(look))

describe('S1: a stream', () => {
  test('whose upstream is silent at first: heartbeats, and then the answer as it is', async () => {
    scene.upstream.handle(late(2))
    await inEach(async (dialect) => {
      const { status, pieces, text } = await scene.hear(dialect, true)
      expect(status).toBe(200)
      expect(pieces[0]?.text).toStartWith(dialect.beat)
      expectBeats(pieces, { atLeast: 2, firstMs: heartbeat.firstMs })
      expect(without(text)).toBe(whole(dialect))
    })
  })

  test('that falls silent in its middle, and in the middle of an event', async () => {
    const [first, ...rest] = words
    scene.upstream.handle((request) => {
      const dialect = dialectOf(request)
      const event = rest.map(dialect.piece).join('')
      return [
        ...[head, write(chunk(dialect.first(usualTokens) + dialect.piece(first)))],
        ...[scene.untilBeats(dialect, 1), write(chunk(event.slice(0, 40)))],
        ...[scene.untilBeats(dialect, 3), write(chunk(event.slice(40)))],
        ...[write(chunk(dialect.last(usualTokens))), write(lastChunk)],
      ]
    })
    await inEach(async (dialect) => {
      const { pieces, text } = await scene.hear(dialect, true)
      expectBeats(pieces, { atLeast: 3 })
      expect(without(text)).toBe(whole(dialect))
    })
  })

  test('that fails at once has a status of its own; later it is told inside', async () => {
    const failed = httpBytes({ status: 500, body: '{"error":{"message":"out of order"}}' })
    await using patient = await startHeartbeats({ ...heartbeat, firstMs: 60_000 })
    patient.upstream.handle([write(failed)])
    await inEach(async (dialect) => {
      const { status, text } = await patient.hear(dialect, true, { model: `fails-${dialect.name}` })
      expect([status, countOf(text)]).toEqual([502, 0])
    })
    scene.upstream.handle((request) => [scene.untilBeats(dialectOf(request), 1), write(failed)])
    await inEach(async (dialect) => {
      const { status, text } = await scene.hear(dialect, true, { model: `fails-${dialect.name}` })
      expect(status).toBe(200)
      expect(dialect.isError(without(text))).toBeTrue()
      expect(text).toContain('The upstream failed.')
      expect(countOf(text)).toBeGreaterThan(0)
    })
  })

  test('that the upstream refuses late is told so, in its words', async () => {
    const refusal = '{"error":{"message":"max_tokens is too large"}}'
    const refused = write(httpBytes({ status: 400, body: refusal }))
    scene.upstream.handle((request) => [scene.untilBeats(dialectOf(request), 1), refused])
    await inEach(async (dialect) => {
      const { status, text } = await scene.hear(dialect, true)
      expect([status, dialect.isError(without(text))]).toEqual([200, true])
      expect(text).toContain('max_tokens is too large')
    })
  })

  test('whose first channel stays silent: heartbeats, and the answer of the second', async () => {
    const asked = new Map<unknown, number>()
    scene.upstream.handle((request) => {
      asked.set(request.protocol, (asked.get(request.protocol) ?? 0) + 1)
      return asked.get(request.protocol) === 1 ? [stall] : soon(request)
    })
    await inEach(async (dialect) => {
      const { text } = await scene.hear(dialect, true, { model: 'pair' })
      expect(countOf(text)).toBeGreaterThan(1)
      expect(without(text)).toBe(whole(dialect))
      expect(asked.get(dialect.name)).toBe(2)
    })
  })

  test('S7: whose client leaves in the silence: the upstream is let finish', async () => {
    scene.upstream.handle((request) => [gate('left'), ...soon(request)])
    const before = scene.upstream.count()
    const leaving = new AbortController()
    const hearing = inEach(async (dialect) => {
      const left = scene.hear(dialect, true, { signal: leaving.signal }).then(
        () => 'answered',
        () => 'left',
      )
      expect(await left).toBe('left')
    })
    await until('all to be asked', () => scene.upstream.count() === before + allDialects.length)
    await Bun.sleep(400) // heartbeats have begun
    leaving.abort()
    await hearing
    expect(scene.tollgate.active()).toBe(allDialects.length)
    scene.upstream.openGate('left')
    await until('nothing to be under way', () => scene.tollgate.active() === 0)
  })

  test('S2: heartbeats do not hide an upstream that is dead, at once or in the middle', async () => {
    scene.upstream.handle([stall])
    await inEach(async (dialect) => {
      const { id, pieces, text } = await scene.hear(dialect, true, { model: 'hurried' })
      expectDead(dialect, text)
      expectBeats(pieces, { atLeast: 2 })
      expect(text).toContain('did not begin to answer in time')
      expect(JSON.stringify(await scene.recordOf(id))).toContain('timeout_first_byte')
    })
    scene.upstream.handle((request) => {
      const dialect = dialectOf(request)
      const begun = dialect.first(usualTokens) + dialect.piece(words[0])
      return [head, write(chunk(begun)), stall]
    })
    await inEach(async (dialect) => {
      const { id, pieces, text } = await scene.hear(dialect, true, { model: 'hurried' })
      expectDead(dialect, text)
      expectBeats(pieces, { atLeast: 2 })
      expect(text).toContain('fell silent')
      expect(JSON.stringify(await scene.recordOf(id))).toContain('timeout_idle')
    })
  })

  test('S2: a comment of the upstream itself is a sign of life, and passed on', async () => {
    const own = ': still there\n\n'
    scene.upstream.handle((request) => {
      const dialect = dialectOf(request)
      return [
        ...[head, write(chunk(dialect.first(usualTokens)))],
        ...Array.from({ length: 6 }, () => [wait(400), write(chunk(own))]).flat(),
        ...[write(chunk(words.map(dialect.piece).join('') + dialect.last(usualTokens)))],
        write(lastChunk),
      ]
    })
    await inEach(async (dialect) => {
      const { text } = await scene.hear(dialect, true, { model: 'hurried' })
      expect(without(text).replaceAll(own, '')).toBe(whole(dialect))
      expect(text.split(own).length).toBe(7)
    })
  })

  test('has heartbeats, and an answer that is none has not', async () => {
    scene.upstream.handle((request) => [wait(600), write(wellWhole(dialectOf(request)))])
    await inEach(async (dialect) => {
      const { status, text } = await scene.hear(dialect, false)
      expect([status, JSON.parse(text)]).toEqual([200, dialect.body(usualTokens)])
    })
  })
})

/**
 * Never sooner than they are due, however late this machine hears them: as many as the time that
 * has passed has room for, and no more.
 */
function expectBeats(
  pieces: Heard['pieces'],
  { atLeast, firstMs = heartbeat.everyMs }: { atLeast: number; firstMs?: number },
): void {
  let beats = 0
  for (const { text, atMs } of pieces) {
    beats += countOf(text)
    if (beats > 0) expect(atMs).toBeGreaterThanOrEqual(firstMs + (beats - 1) * heartbeat.everyMs)
  }
  expect(beats).toBeGreaterThanOrEqual(atLeast)
}

function expectDead(dialect: Dialect, text: string): void {
  expect(dialect.isError(without(text))).toBeTrue()
  expect(dialect.isWhole(without(text))).toBeFalse()
}

test('S1: an array of gemini has spaces between its elements', async () => {
  const elements = [dialects.gemini.piece(words[0]), dialects.gemini.last(usualTokens)].map(
    (frame) => frame.replace(/^data: /, '').trim(),
  )
  scene.upstream.handle([
    ...[scene.untilBeats(geminiArray, 1), write(httpHead({ framing: 'chunked' }))],
    ...[write(chunk(`[${elements[0]}`)), scene.untilBeats(geminiArray, 2)],
    ...[write(chunk(`,\r\n${elements[1]}]`)), write(lastChunk), end],
  ])
  const { status, pieces, text } = await scene.hear(geminiArray, true)
  expect([status, pieces[0]?.text]).toEqual([200, '['])
  expect(JSON.parse(text)).toEqual(elements.map((element) => JSON.parse(element)))
  expect(text).toContain('\n,\r\n')
})

test('what comes behind heartbeats is charged as any other answer', async () => {
  scene.upstream.handle(late(1))
  const { id } = await scene.hear(dialects.messages, true)
  const amount_nano = costNano(usualTokens)
  expect(await scene.recordOf(id)).toMatchObject({
    ending: 'complete',
    estimated: false,
    amount_nano,
  })
})
