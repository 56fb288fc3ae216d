import { describe, expect, test } from 'bun:test'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import type {
  CacheHint,
  CanonicalRequest,
  Part,
  ToolResultPart,
  Turn,
} from '../../../src/protocols/canonical/request.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { bare, optionsFor, type Pair, pairs, protocols, recordedRequests } from './pairs.ts'
import { sendRequest } from './send-request.ts'

/*
 * R8: an upstream's prompt cache holds what begins with the same bytes. A body's beginning is all of
 * its JSON but the brackets that it ends with.
 */

const beginningOf = (text: string) => text.replace(/[\]}]+$/, '')

/** The body for an upstream; undefined when it refuses the request. */
function bodyOf(request: CanonicalRequest, pair: Pair): string | undefined {
  try {
    return JSON.stringify(sendRequest(request, pair).body)
  } catch (error) {
    if (error instanceof TranslationError) return undefined
    throw error
  }
}

/**
 * Marks for the cache move to the new end with each turn, and with a mark a lone text is a block. The
 * vendor does not read them as part of the prompt: here they are left out.
 */
function withoutMarks(request: CanonicalRequest): CanonicalRequest {
  const turns = request.turns.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => ({ ...part, cache: undefined })),
  }))
  return { ...request, turns, tools: request.tools.map((tool) => ({ ...tool, cache: undefined })) }
}

/** The request as it was before each of the model's answers, if the user had said something. */
const earlier = (request: CanonicalRequest): readonly CanonicalRequest[] =>
  request.turns.flatMap(({ role }, at) => {
    const turns = request.turns.slice(0, at)
    const isAsked = role === 'assistant' && turns.some((turn) => turn.role === 'user')
    return isAsked ? [{ ...request, turns }] : []
  })

/** Requests of one recording that follow each other: the later one has all of the earlier's turns. */
const successions = recordedRequests.flatMap((later, at) => {
  const before = recordedRequests[at - 1]
  const nameOf = (id: string) => id.replace(/\.\d+\.[0-9a-f]+$/, '')
  if (before === undefined || nameOf(before.id) !== nameOf(later.id)) return []
  const [first, second] = [withoutMarks(before.decoded), withoutMarks(later.decoded)]
  const cut = { ...second, turns: second.turns.slice(0, first.turns.length) }
  const isMore = second.turns.length > first.turns.length
  return isMore && Bun.deepEquals(bare(cut), bare(first)) ? [{ ...later, first, second }] : []
})

/** Throws unless a body begins with each of those that were sent on the way to it. */
function expectGrowth(id: string, request: CanonicalRequest, pair: Pair): number {
  const after = bodyOf(request, pair)
  if (after === undefined) return 0
  const before = earlier(request).flatMap((one) => bodyOf(one, pair) ?? [])
  for (const [turn, body] of before.entries()) {
    const begins = after.startsWith(beginningOf(body))
    expect({ id, turn, begins }).toEqual({ id, turn, begins: true })
  }
  return before.length
}

describe.skipIf(recordedRequests.length === 0)('R8: recorded conversations', () => {
  test('there are some whose turns were recorded one by one', () => {
    expect(successions.length).toBeGreaterThan(100)
  })

  test.each(pairs)('of $client begin on $upstream with the turn before', (pair) => {
    let compared = 0
    for (const { id, client, first, second } of successions) {
      const [before, after] =
        client === pair.client ? [bodyOf(first, pair), bodyOf(second, pair)] : []
      if (before === undefined || after === undefined) continue
      expect({ id, begins: after.startsWith(beginningOf(before)) }).toEqual({ id, begins: true })
      compared++
    }
    expect(compared).toBeGreaterThan(5)
  })

  test.each(pairs)('of $client begin on $upstream with each of their turns', (pair) => {
    const own = recordedRequests.filter(({ client }) => client === pair.client)
    const counts = own.map(({ id, decoded }) => expectGrowth(id, withoutMarks(decoded), pair))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(50)
  })
})

describe.skipIf(recordedRequests.length === 0)('R8: marks that the gateway sets itself', () => {
  const toMessages = pairs.filter(({ upstream }) => upstream === 'messages')
  const asBlocks = (content: unknown) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content

  /** What the vendor reads of a body: marks are no part of it, and a text is a block. */
  const readOf = ({ system = [], messages, ...rest }: JsonObject) =>
    JSON.parse(
      JSON.stringify({
        ...rest,
        system: asBlocks(system),
        messages: (messages as JsonObject[]).map((one) => ({
          ...one,
          content: asBlocks(one.content),
        })),
      }),
      (key, value: unknown) => (key === 'cache_control' ? undefined : value),
    )

  test.each(toMessages)('change nothing of what $client sends', ({ client, upstream }) => {
    const options = optionsFor(upstream)
    let marked = 0
    for (const { id, client: own, decoded } of recordedRequests) {
      if (own !== client) continue
      const { codec } = protocols[upstream]
      const request = withoutMarks(decoded)
      const plain = codec.encodeRequest(request, options)
      const body = codec.encodeRequest(request, { ...options, cacheMinimumTokens: 1 })
      expect([id, readOf(body)]).toEqual([id, readOf(plain)])
      const count = JSON.stringify(body).split('"cache_control"').length - 1
      expect(count).toBeWithin(0, 5)
      if (count > 0) marked++
    }
    expect(marked).toBeGreaterThan(20)
  })
})

describe('R8: a conversation with tools, images, reasoning and instructions', () => {
  const text = (value: string): Part => ({ type: 'text', text: value })
  const image = (data: string) => {
    return { type: 'image', source: { type: 'data', mediaType: 'image/png', data } } as const
  }
  const thought = (signature: string): Part => ({ type: 'reasoning', text: 'Hm', signature })
  const call = (callId: string): Part => {
    return { type: 'tool-call', callId, name: 'look', kind: 'function', input: '{"at":"home"}' }
  }
  const result = (callId: string, ...parts: ToolResultPart['parts']): Part => {
    return { type: 'tool-result', callId, name: 'look', kind: 'function', parts }
  }
  const turns: readonly Turn[] = [
    { role: 'system', parts: [text('Be short.'), text('Be kind.')] },
    { role: 'user', parts: [text('Look'), image('AAAA')] },
    { role: 'assistant', parts: [thought('s1'), text('I look.'), call('a'), call('b')] },
    {
      role: 'user',
      parts: [
        result('a', { type: 'text', text: 'red' }, image('BBBB')),
        result('b', { type: 'text', text: 'blue' }),
      ],
    },
    { role: 'assistant', parts: [thought('s2'), call('c')] },
    { role: 'user', parts: [result('c', { type: 'text', text: 'none' }), text('And now?')] },
    { role: 'system', parts: [text('Answer in rhymes.')] },
    { role: 'assistant', parts: [thought('s3'), text('Red and blue.')] },
    { role: 'user', parts: [text('Thanks')] },
    { role: 'assistant', parts: [text('Welcome.')] },
    { role: 'user', parts: [text('Bye')] },
  ]
  const request: CanonicalRequest = {
    model: 'm',
    stream: true,
    turns,
    tools: [{ kind: 'function', name: 'look', parameters: { type: 'object', properties: {} } }],
    reasoning: { amount: { type: 'effort', effort: 'high' } },
    maxOutputTokens: 4000,
    native: [],
  }

  test.each(pairs)('of $client grows on $upstream by its new turns only', (pair) => {
    expect(expectGrowth('by hand', request, pair)).toBe(4)
  })

  const marks: readonly (CacheHint | undefined)[] = [undefined, '5m', '1h']
  test.each(pairs.filter(({ client }) => client === 'messages'))(
    'of messages, whose mark for the cache moves to each new end, does so on $upstream',
    (pair) => {
      const marked = (count: number, cache: CacheHint | undefined): CanonicalRequest => {
        const own = turns.slice(0, count)
        const end = own.at(-1)
        const parts = end?.parts.map((part) => ({ ...part, cache })) ?? []
        return { ...request, turns: end ? own.with(-1, { ...end, parts }) : [] }
      }
      for (const cache of marks) {
        const bodies = [2, 4, 7, 9, 11].map((count) => bodyOf(marked(count, cache), pair) ?? '')
        bodies.slice(1).forEach((body, at) => {
          expect(body.startsWith(beginningOf(bodies[at] ?? ''))).toBe(true)
        })
      }
    },
  )
})
