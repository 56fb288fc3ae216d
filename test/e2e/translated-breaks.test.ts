import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RunningBinary } from '../support/binary.ts'
import { type RawScript, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts'
import { ask, requestIdOf } from './caller.ts'
import { costNano, type Dialect } from './dialects.ts'
import { type Ledger, openLedger } from './ledger.ts'
import {
  dialectOf,
  geminiArray,
  keyOn,
  type Pair,
  pairs,
  spoken,
  startTranslating,
  violations,
} from './translated.ts'
import { until } from './until.ts'

// Upstreams that break off after 200, seen by clients of another protocol (CASES S3, S5).

const tokens = { input: 1000, output: 500 }
const pieces = ['Grüße, ', '世界 🌍! ', 'And '] as const

/** How much of its stream the upstream gets to say, and what of that is text in whole events. */
const places: Readonly<
  Record<string, (dialect: Dialect) => readonly [said: string, text: string]>
> = {
  announced: (dialect) => [dialect.first(tokens), ''],
  'in-its-text': (dialect) => [begun(dialect), pieces.join('')],
  'in-an-event': (dialect) => [
    begun(dialect) + dialect.piece('never').slice(0, 30),
    pieces.join(''),
  ],
  'behind-its-text': (dialect) => [begun(dialect) + lastFrames(dialect), pieces.join('')],
}
const begun = (dialect: Dialect) => dialect.first(tokens) + pieces.map(dialect.piece).join('')
/** Of messages the end of its block; the others' last words begin with how it ended. */
const lastFrames = (dialect: Dialect) =>
  dialect.name === 'messages' ? `${dialect.last(tokens).split('\n\n')[0]}\n\n` : ''

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
type Socket = Parameters<RawScript>[0]

/** What comes then, when the client has read the rest, and as what it is told. */
const ways: Readonly<Record<string, readonly [cause: string, then: (socket: Socket) => void]>> = {
  ended: ['upstream_error', (socket) => socket.write('0\r\n\r\n')],
  closed: ['upstream_error', (socket) => socket.end()],
  reset: ['upstream_error', (socket) => socket.resetAndDestroy()],
  garbage: ['upstream_error', (socket) => socket.end('this is no chunk size\r\n')],
  nonsense: [
    'upstream_error',
    (socket) => socket.end(`${chunk('data: {"torn\n\n:x\n\n')}0\r\n\r\n`),
  ],
  silent: ['upstream_timeout', () => {}],
}
/** By question: settles when the client has all the text. */
const heard = new Map<string, PromiseWithResolvers<void>>()

/** Far longer than what else the upstream does takes, also where the machine is busy. */
const idle = '2s'

let upstream: RawUpstream
let gateway: RunningBinary
let ledger: Ledger
beforeAll(async () => {
  upstream = await startRawUpstream(async (socket, { head, body }) => {
    const [question = '', place = '', way = ''] =
      /break ([\w-]+) ([\w-]+)/.exec(body.toString()) ?? []
    const dialect = dialectOf({ path: /^POST (\S+)/.exec(head)?.[1] ?? '' })
    const head200 =
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked'
    const [said = ''] = places[place]?.(dialect) ?? []
    socket.write(`${head200}\r\n\r\n${chunk(said)}`)
    // What was written is to arrive: a reset takes it along.
    await (heard.get(question)?.promise ?? Bun.sleep(300))
    ways[way]?.[1](socket)
  })
  gateway = await startTranslating(upstream.url, { channel: { timeouts: { idle } } })
  ledger = openLedger(gateway.cwd)
  // The first estimate of all loads the tokenizer, which holds everything up: not in a test's break.
  for (const { client, upstream: asked } of pairs.slice(0, 1)) {
    const warm = { question: 'break in-its-text ended', key: keyOn(asked) }
    await (await ask(gateway.url, client, true, warm)).text()
  }
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

async function expectBreak({ name, client, upstream }: Pair, place: string, way: string) {
  const question = `break ${place} ${way}`
  const isArray = client === geminiArray
  const framing = isArray ? 'json-array' : 'sse'
  const [, delivered] = places[place]?.(upstream) ?? []
  const allHeard = Promise.withResolvers<void>()
  if (delivered) heard.set(question, allHeard)
  const answer = await ask(gateway.url, client, true, { question, key: keyOn(upstream) })
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    // Gemini's clients get the last character with the end.
    if (text.includes(pieces[2].trim())) allHeard.resolve()
  }
  const [cause] = ways[way] ?? []
  const seen = {
    status: answer.status,
    type: answer.headers.get('content-type'),
    violations: violations(client, text, 'error', framing),
    spoken: spoken(client, text, framing),
  }
  expect({ name, question, ...seen }).toEqual({
    name,
    question,
    status: 200,
    type: isArray ? 'application/json' : 'text/event-stream; charset=utf-8',
    violations: [],
    spoken: delivered ?? '',
  })
  const record = await until(question, () => ledger.record(requestIdOf(answer)))
  const { input_tokens: input, output_tokens: output, amount_nano: amount } = record
  expect({ name, question, ...record }).toMatchObject({
    ...{ name, question, ending: 'cut', cause: cause ?? '', status: 200 },
    client_protocol: client.name,
    ...{ amount_nano: costNano({ input, output }), charged_nano: amount > 0 ? -amount : null },
  })
  // What was delivered is counted; messages has told its input before that.
  if (delivered !== '') expect(output).toBeWithin(8, 30)
  if (upstream.name === 'messages') expect(input).toBe(tokens.input)
  else if (delivered !== '') expect(input).toBeWithin(1, 50)
  else expect({ name, question, amount }).toEqual({ name, question, amount: 0 })
}

const asked: readonly Pair[] = [
  ...pairs,
  ...pairs
    .filter(({ client }) => client.name === 'gemini')
    .map(({ upstream }) => ({
      name: `gemini (array) on ${upstream.name}`,
      client: geminiArray,
      upstream,
    })),
]

describe.each(asked)('$name', (pair) => {
  test.each(Object.keys(ways).filter((way) => way !== 'silent'))(
    'S5: %s anywhere in its stream: an error in the protocol, what came charged',
    async (way) => {
      await Promise.all(Object.keys(places).map((place) => expectBreak(pair, place, way)))
    },
  )
})

// All of them at once: each waits for the limit.
test('S5: silent anywhere in its stream: an error in the protocol, what came charged', async () => {
  await Promise.all(
    asked.flatMap((pair) => Object.keys(places).map((place) => expectBreak(pair, place, 'silent'))),
  )
})
