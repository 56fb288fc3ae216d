import { describe, expect, test } from 'bun:test'
import { listDropped } from '../../src/gateway/relay/reply.ts'
import { TranslationError } from '../../src/protocols/canonical/error.ts'
import {
  type Fault,
  type JsonObject,
  type ProtocolName,
  protocolNames,
} from '../../src/protocols/protocol.ts'
import { fit } from '../protocols/translation/fitting.ts'
import { protocols } from '../protocols/translation/pairs.ts'
import { startCpuTime } from '../support/cpu-time.ts'
import { eventTrial } from './events.ts'
import { brackets } from './oddities.ts'
import { othersThan } from './scene.ts'

// What fuzzing has found, each by its smallest input.

/** Why a request can't be translated; undefined when it can. */
function faultOf(
  client: ProtocolName,
  upstream: ProtocolName,
  body: JsonObject,
): Fault | undefined {
  const { codec } = protocols[upstream]
  const target = { ...codec, protocol: upstream, quirks: new Set<never>() }
  try {
    const request = protocols[client].codec.decodeRequest(body, { model: 'm', stream: false })
    fit(request, client, target, false)
    return undefined
  } catch (error) {
    if (error instanceof TranslationError) return error.fault
    throw error
  }
}

describe('T21: a conversation without a word', () => {
  const silent: readonly (readonly [ProtocolName, JsonObject, string])[] = [
    ['chat', { messages: [{ role: 'user', content: '' }] }, 'messages'],
    ['responses', { input: [{ role: 'user', content: [] }] }, 'input'],
    ['responses', { input: [{ role: 'assistant', content: '' }] }, 'input'],
    [
      'responses',
      {
        instructions: 'S',
        input: [
          { role: 'assistant', content: '' },
          { role: 'user', content: '' },
        ],
      },
      'input',
    ],
    ['gemini', { contents: [{ role: 'user', parts: [] }] }, 'contents'],
    ['gemini', { contents: [{ parts: [{ text: '' }] }] }, 'contents'],
  ]
  test.each(silent)(
    'of %s is refused for messages, whose vendor does: %j',
    (client, body, param) => {
      expect(faultOf(client, 'messages', body)).toMatchObject({ code: 'invalid_value', param })
    },
  )

  test.each(silent.filter(([client]) => client !== 'chat'))(
    'of %s is left to the vendors of chat: %j',
    (client, body) => {
      expect(faultOf(client, 'chat', body)).toBeUndefined()
    },
  )

  test.each(['chat', 'messages', 'gemini'] as const)(
    'and without a turn is refused for %s',
    (to) => {
      expect(faultOf('responses', to, { input: [] })).toMatchObject({ param: 'input' })
    },
  )

  test('but with a word in the system prompt it is taken', () => {
    const messages = [
      { role: 'system', content: 'S' },
      { role: 'user', content: '' },
    ]
    expect(faultOf('chat', 'messages', { messages })).toBeUndefined()
  })
})

test('more candidates than the vendor of gemini gives are refused', () => {
  const asking = (candidateCount: number) => ({
    contents: [{ parts: [{ text: 'Hi' }] }],
    generationConfig: { candidateCount },
  })
  expect(faultOf('gemini', 'chat', asking(9))).toMatchObject({
    code: 'invalid_value',
    param: 'generationConfig.candidateCount',
  })
  expect(faultOf('gemini', 'chat', asking(8))).toBeUndefined()
})

test('a field without a name is told as one', () => {
  expect(listDropped(['', 'a'])).toBe('"", a')
})

const whole = (client: ProtocolName, upstream: ProtocolName, body: JsonObject): JsonObject => {
  const request = { model: 'm', stream: false, turns: [], tools: [], native: [] }
  const context = {
    requestId: 'r',
    request,
    model: 'm',
    createdAt: 1,
    estimatedInputTokens: 1,
    body: {},
    framing: 'sse',
    library: '',
  } as const
  const response = protocols[upstream].codec.decodeResponse(body, context)
  return JSON.parse(JSON.stringify(protocols[client].codec.encodeResponse(response, context)))
}

const chatCall = (args: unknown, more: JsonObject = {}) => ({
  choices: [
    {
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ id: 'a', function: { name: 'f', arguments: args } }] },
      ...more,
    },
  ],
})

test.each(['messages', 'gemini'] as const)(
  'arguments nested beyond measure are a text for %s',
  (to) => {
    const text = `{"a":${brackets(30_000)}}`
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: text } }
    const messages = [
      { role: 'user', content: 'q' },
      { role: 'assistant', tool_calls: [call] },
    ]
    const request = protocols.chat.codec.decodeRequest({ messages }, { model: 'm', stream: false })
    const options = { model: 'm', quirks: new Set<never>(), defaultMaxOutputTokens: 1 }
    const takenMs = startCpuTime()
    const body = JSON.stringify(protocols[to].codec.encodeRequest(request, options))
    expect(takenMs()).toBeLessThan(300)
    expect(body).toContain(JSON.stringify({ input: text }))
  },
)

describe('an answer', () => {
  test.each([
    ['messages', { type: 'tool_use', input: { input: '12345678901234567890' } }],
    ['gemini', { functionCall: { args: { input: '12345678901234567890' } } }],
  ] as const)(
    'T5: whose arguments are but a long number has an object of them for %s',
    (to, call) => {
      const answer = whole(to, 'chat', chatCall('12345678901234567890'))
      const [candidate] = Array.isArray(answer.candidates) ? answer.candidates : []
      expect(candidate?.content.parts ?? answer.content).toMatchObject([call])
    },
  )

  test('tells messages of a stop sequence only where it is the reason', () => {
    const answer = whole('messages', 'chat', chatCall('{}', { stop_reason: 'END' }))
    expect(answer).toMatchObject({ stop_reason: 'tool_use', stop_sequence: null })
  })

  test('from before 1970 has the time of the request', () => {
    const answer = whole('chat', 'gemini', { candidates: [{ content: {} }], createTime: '202' })
    expect(answer.created).toBe(1)
  })
})

describe.each([...protocolNames])('a call of %s that is nested beyond measure', (protocol) => {
  const deep = JSON.parse(`{"a":${brackets(100_000)}}`)
  const bodies: { readonly [name in ProtocolName]: JsonObject } = {
    chat: chatCall(deep),
    responses: {
      output: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: deep }],
    },
    messages: { content: [{ type: 'tool_use', id: 'a', name: 'f', input: deep }] },
    gemini: {
      candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: deep } }] } }],
    },
  }

  test.each(othersThan(protocol))('is without arguments for %s', (client) => {
    expect(JSON.stringify(whole(client, protocol, bodies[protocol]))).not.toContain('[[[')
  })

  test('is watched without them, too', () => {
    const observer = protocols[protocol].generation.createObserver()
    observer.pushBody(bodies[protocol])
    expect(observer.seen.phase).toBe('closed')
  })
})

test('a message that begins with why it ended is brought to its end', async () => {
  const message = { id: 'msg_1', model: 'v', content: [], stop_reason: 'end_turn' }
  const data = JSON.stringify({ type: 'message_start', message })
  const trial = eventTrial('messages')
  await trial.check({
    pieces: [`event: message_start\ndata: ${data}\n\n`],
    changes: 1,
    asked: 0,
    cut: 0,
    ending: 'end',
    framing: 'sse',
  })
  expect(trial.tally).toEqual({ streams: 3, ended: 3 })
})
