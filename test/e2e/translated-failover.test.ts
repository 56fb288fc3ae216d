import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import {
  cutBytes,
  type FakeUpstream,
  jsonAnswer,
  type SeenRequest,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import {
  chunk,
  end,
  httpBytes,
  httpHead,
  lastChunk,
  type Steps,
  wait,
  write,
} from '../support/fault/steps.ts'
import { type FaultUpstream, startFaultUpstream } from '../support/fault/upstream.ts'
import { speaksAt, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { ask, requestIdOf } from './caller.ts'
import { allDialects, costNano, type Dialect, dialects, wholeStream } from './dialects.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { errorEvents } from './stream-breaks.ts'
import { dialectOf, geminiArray, violations, wantsStream } from './translated.ts'
import { until } from './until.ts'

// S4: an upstream answers 200 and fails before it has said anything. Another channel is asked, of
// whatever protocol; where there is none, the client is told in its own.

const tokens = { input: 1000, output: 500 }
const wasted = { input: 77, output: 0 }
/** Messages begins with one for its output. */
const placeholder = ({ name }: Dialect) => (name === 'messages' ? 1 : 0)

/** What the failing upstream says of its use, where it says it before it fails. */
const usageEvents: Readonly<Record<Dialect['name'], string>> = {
  chat: `data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: 77 } })}\n\n`,
  responses: `event: response.in_progress\ndata: ${JSON.stringify({
    type: 'response.in_progress',
    response: { id: 'resp_1', status: 'in_progress', usage: { input_tokens: 77 } },
  })}\n\n`,
  messages: '',
  gemini: `data: ${JSON.stringify({ usageMetadata: { promptTokenCount: 77 } })}\r\n\r\n`,
}
const announced = (dialect: Dialect) => dialect.first(wasted) + usageEvents[dialect.name]
const words = 'The vendor has no machines left.'

/** An answer that is an error, with status 200. */
const failedBodies: Readonly<Record<Dialect['name'], object>> = {
  chat: { error: { message: words, code: 500 }, usage: { prompt_tokens: 77 } },
  responses: {
    ...{ id: 'resp_1', object: 'response', status: 'failed', output: [] },
    error: { code: 'server_error', message: words },
    usage: { input_tokens: 77 },
  },
  messages: { type: 'error', error: { type: 'api_error', message: words } },
  gemini: { error: { code: 500, message: words }, usageMetadata: { promptTokenCount: 77 } },
}

const sse = { type: 'text/event-stream', framing: 'chunked' } as const
const inOnePiece = (body: string): Steps => [write(httpBytes({ ...sse, body }))]
const begun = (piece: string): Steps => [write(httpHead(sse)), write(chunk(piece))]
const ended = write(lastChunk)
/** A chunk is announced that does not come. */
const brokenOff: Steps = [write('fff\r\n'), end]
/** It says that it will answer, and takes longer than anyone waits who could ask another one. */
const thinking = (announcement: string, rest: string): Steps => [
  ...begun(announcement),
  ...[wait(350), write(chunk(rest)), ended],
]

type Ways = Readonly<Record<string, readonly [way: (dialect: Dialect) => Steps, cause: string]>>
const waysAtOnce: Ways = {
  'an error at once': [
    (dialect) => inOnePiece(usageEvents[dialect.name] + errorEvents[dialect.name](words)),
    'upstream_failed',
  ],
  'an error behind its announcement': [
    (dialect) => inOnePiece(announced(dialect) + errorEvents[dialect.name](words)),
    'upstream_failed',
  ],
}
/** A gateway that stalls meanwhile may have waited for long enough, or lose what it has not read. */
const laterWays: Ways = {
  'an error a little later': [
    (dialect) => [
      ...begun(announced(dialect)),
      ...[wait(5), write(chunk(errorEvents[dialect.name](words))), ended],
    ],
    'upstream_failed',
  ],
  'a clean end': [(dialect) => [...begun(announced(dialect)), wait(5), ended], 'upstream_failed'],
  'a break': [
    (dialect) => [...begun(announced(dialect)), wait(50), ...brokenOff],
    'connection_lost',
  ],
}

let bad: FaultUpstream
let good: FakeUpstream
let gateway: RunningBinary
let ledger: Ledger

/** `bad-chat-good-gemini`: a channel that fails, and behind it one that does not. */
const keyOf = (first: Dialect, second?: Dialect) =>
  `sk-test-${first.name}-${second?.name ?? 'none'}-0123456789abcdefghij`
const combined = allDialects.flatMap((first) =>
  [...allDialects, undefined].map((second) => ({ first, second })),
)

beforeAll(async () => {
  bad = await startFaultUpstream()
  good = startFakeUpstream(answerWell)
  const channel = (name: string, url: string, dialect: Dialect, priority: number) => ({
    ...{ name, priority, speaks: speaksAt(url, [dialect.name]), api_key: upstreamKey },
    ...{ models: ['test-model'], allow_private: true, timeouts: { idle: '2s' } },
  })
  gateway = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: good.url },
        // The first channel is asked each time, however often it has failed.
        settings: { channel_cooling: false },
        moreChannels: allDialects.flatMap((dialect) => [
          channel(`bad-${dialect.name}`, bad.url, dialect, 0),
          channel(`good-${dialect.name}`, good.url, dialect, 1),
        ]),
        moreGroups: combined.map(({ first, second }) => ({
          name: keyOf(first, second),
          channels: [`bad-${first.name}`, ...(second ? [`good-${second.name}`] : [])],
        })),
        moreAccounts: [
          {
            ...{ email: 'other@example.com', balance: 100 },
            tokens: combined.map(({ first, second }) => ({
              ...{ name: keyOf(first, second), key: keyOf(first, second) },
              group: keyOf(first, second),
            })),
          },
        ],
      }),
  })
  ledger = openLedger(gateway.cwd)
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await Promise.all([bad.stop(), good.stop()])
})

function answerWell(request: SeenRequest): Response {
  const dialect = dialectOf(request)
  return wantsStream(request)
    ? sseAnswer(wholeStream(dialect, tokens, ['Hello', ' there']))
    : jsonAnswer(dialect.body(tokens))
}

const recordOf = (id: string) => until(`the record of ${id}`, () => ledger.record(id))

describe.each(allDialects)('a client of $name', (client) => {
  describe.each(allDialects)('behind a failing channel of $name', (first) => {
    const answersElsewhere = async (name: string, [way, cause]: Ways[string]) => {
      bad.handle((request) => way(dialectOf(request)))
      for (const second of allDialects) {
        const answer = await ask(gateway.url, client, true, { key: keyOf(first, second) })
        const text = await answer.text()
        expect(violations(client, text, 'complete')).toEqual(
          client === second ? expect.anything() : [],
        )
        if (client === second) expect(text).toBe(wholeStream(client, tokens, ['Hello', ' there']))
        const id = requestIdOf(answer)
        expect(await recordOf(id)).toMatchObject({
          ...{
            ending: 'complete',
            amount_nano: costNano(tokens),
            charged_nano: -costNano(tokens),
          },
        })
        expect(await ledger.attempts(id)).toEqual([
          { status: 200, cause },
          { status: 200, cause: null },
        ])
        const isTold = first.name !== 'messages' || name !== 'an error at once'
        if (isTold) expect((await ledger.attemptUsage(id))[0]).toContain('77')
      }
    }
    const promise = 'S4: %s: another channel answers; B7: both are in the record'
    test.each(Object.entries(waysAtOnce))(promise, answersElsewhere)
    test.each(Object.entries(laterWays))(promise, answersElsewhere, { retry: 2 })

    test('S4: a whole answer that is an error: another channel answers', async () => {
      bad.handle((request) => [
        write(httpBytes({ body: JSON.stringify(failedBodies[dialectOf(request).name]) })),
      ])
      for (const second of allDialects) {
        const answer = await ask(gateway.url, client, false, { key: keyOf(first, second) })
        expect(answer.status).toBe(200)
        expect(await answer.text()).toContain('hello')
        const id = requestIdOf(answer)
        expect(await recordOf(id)).toMatchObject({
          ending: 'complete',
          amount_nano: costNano(tokens),
        })
        expect(await ledger.attempts(id)).toEqual([
          { status: 200, cause: 'upstream_failed' },
          { status: 200, cause: null },
        ])
        if (first.name !== 'messages') expect((await ledger.attemptUsage(id))[0]).toContain('77')
      }
    })

    test('with no other channel the client is told in its protocol', async () => {
      bad.handle((request) => {
        const dialect = dialectOf(request)
        return inOnePiece(announced(dialect) + errorEvents[dialect.name](words))
      })
      const answer = await ask(gateway.url, client, true, { key: keyOf(first) })
      expect(answer.status).toBe(200)
      const text = await answer.text()
      expect(text).toContain(words)
      if (client !== first) expect(violations(client, text, 'error')).toEqual([])
      const id = requestIdOf(answer)
      expect(await recordOf(id)).toMatchObject({
        ...{ ending: 'failed', cause: 'upstream_error', input_tokens: 77 },
        amount_nano: costNano({ input: 77, output: placeholder(first) }),
      })
    })

    test('an answer that thinks before its first word is not given up', async () => {
      bad.handle((request) => {
        const dialect = dialectOf(request)
        const rest = dialect.piece('Hello') + dialect.piece(' there') + dialect.last(tokens)
        return thinking(dialect.first(tokens), rest)
      })
      good.clear()
      const asking = allDialects.map(async (second) => {
        const answer = await ask(gateway.url, client, true, { key: keyOf(first, second) })
        const text = await answer.text()
        if (client === first) expect(text).toBe(wholeStream(client, tokens, ['Hello', ' there']))
        else expect(violations(client, text, 'complete')).toEqual([])
        expect(await ledger.attempts(requestIdOf(answer))).toEqual([{ status: 200, cause: null }])
      })
      await Promise.all(asking)
      expect(good.requests.length).toBe(0)
    })
  })
})

test.each(allDialects)(
  '$name: of a stream that comes byte by byte nothing is lost',
  async (one) => {
    const whole = wholeStream(one, tokens, ['Grüße', ' 🌍'])
    const bytes = cutBytes(new TextEncoder().encode(whole), 1)
    bad.handle([write(httpHead(sse)), ...bytes.map((byte) => write(chunk(byte))), ended])
    const answer = await ask(gateway.url, one, true, { key: keyOf(one, dialects.chat) })
    expect(await answer.text()).toBe(whole)
  },
)

test('S4: a stream of gemini as an array: another channel answers', async () => {
  const { gemini } = dialects
  const element = (frame: string) => frame.replace(/^data: /, '').trim()
  const whole = `[${[gemini.piece('Hello'), gemini.last(tokens)].map(element).join(',\r\n')}]`
  const failing = `[${element(gemini.first(wasted))}${errorEvents['gemini-array'](words)}`
  bad.handle([write(httpBytes({ framing: 'chunked', body: failing }))])
  good.handle(() => new Response(whole, { headers: { 'content-type': 'application/json' } }))
  const answer = await ask(gateway.url, geminiArray, true, { key: keyOf(gemini, gemini) })
  expect(await answer.text()).toBe(whole)
  const id = requestIdOf(answer)
  await recordOf(id)
  expect((await ledger.attempts(id)).map(({ cause }) => cause)).toEqual(['upstream_failed', null])
})
