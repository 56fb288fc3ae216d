import { expect } from 'bun:test'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { failureOf } from '../sdk-support.ts'
import { type Bench, modelOn, nano, reasoner } from './bench.ts'
import type { Client, Content, Conversation, Fault, Shown, Wish } from './clients/client.ts'
import type { RunningVendor } from './upstreams/vendor.ts'

/** A client on a channel of another protocol. */
export interface Pair {
  readonly bench: Bench
  readonly client: Client
  readonly upstream: RunningVendor
  readonly model: string
}

/** The names of a pair, known before anything runs. */
export interface PairNames {
  readonly client: ProtocolName
  readonly upstream: ProtocolName
}

/** A pair by its names; `isReasoner`: with the model of chat that wants its reasoning back. */
export function pairOf(bench: Bench, { client, upstream }: PairNames, isReasoner = false): Pair {
  return {
    bench,
    client: bench.clients[client],
    upstream: bench.vendors[upstream],
    model: isReasoner ? reasoner : modelOn(upstream),
  }
}

/** What an answer must be like, beside what every good answer is. */
export interface Expectation {
  readonly ending?: string
  /** What is named as left out; null, as by default: nothing. */
  dropped?: string | RegExp | null
}

/** A conversation in which every answer is looked at: usage, stream, record, what was left out. */
export function converse(pair: Pair, wish: Wish, expected: Expectation = {}): Conversation {
  const conversation = pair.client.open(pair.model, wish)
  let before = ''
  const check = async (shown: Shown) => {
    // R8: what was said before is sent with the same bytes; a body ends with its conversation.
    const body = pair.upstream.last().seen.text()
    expect(body).toStartWith(before)
    before = body.slice(0, -']}'.length)
    return await checked(pair, shown, expected)
  }
  return {
    say: async (...content) => await check(await conversation.say(...content)),
    move: conversation.move,
    results: async (...texts) => await check(await conversation.results(...texts)),
  }
}

/** One question and its answer. */
export const ask = (
  pair: Pair,
  question: string | readonly Content[],
  wish: Wish = {},
  expected?: Expectation,
) => converse(pair, wish, expected).say(...(typeof question === 'string' ? [question] : question))

async function checked(pair: Pair, shown: Shown, expected: Expectation): Promise<Shown> {
  const { client, upstream, model, bench } = pair
  const { told, protocol } = upstream.vendor
  expect(shown.model).toBe(model)
  expect(shown.usage).toEqual(client.sees(told))
  const named = client.line.headers.get('x-tollgate-dropped')
  if (expected.dropped instanceof RegExp) expect(named).toMatch(expected.dropped)
  else expect(named).toBe(expected.dropped ?? null)
  expect(await client.line.violations()).toEqual([])
  const requestId = client.line.headers.get('x-request-id')
  if (client.protocol === 'messages') expect(client.line.headers.get('request-id')).toBe(requestId)
  const amount =
    told.input * nano.input +
    told.output * nano.output +
    told.cacheRead * nano.cacheRead +
    told.cacheWrite * nano.cacheWrite
  bench.expectRecord(requestId, {
    client_protocol: client.protocol,
    upstream_protocol: protocol,
    model,
    ending: expected.ending ?? 'complete',
    input_tokens: told.input,
    output_tokens: told.output,
    reasoning_tokens: told.reasoning,
    cache_read_tokens: told.cacheRead,
    cache_write_tokens: told.cacheWrite,
    estimated: false,
    amount_nano: amount,
  })
  return shown
}

/** The error that an SDK throws for a question, and its record, which is not charged. */
export async function refused(
  pair: Pair,
  question: string | readonly Content[],
  wish: Wish,
  record: object,
): Promise<Fault> {
  const { client, bench } = pair
  const content = typeof question === 'string' ? [question] : question
  const error = await failureOf(() => client.open(pair.model, wish).say(...content))
  bench.expectRecord(client.line.headers.get('x-request-id'), record)
  return client.fault(error)
}
