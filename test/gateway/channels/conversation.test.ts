import { describe, expect, test } from 'bun:test'
import { conversationOf, hintInHeaders } from '../../../src/gateway/channels/conversation.ts'
import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'

type Turn = 'system' | 'user' | 'model'
type Said = readonly (readonly [Turn, string])[]

const roles: Record<ProtocolName, Record<Turn, string>> = {
  chat: { system: 'system', user: 'user', model: 'assistant' },
  responses: { system: 'developer', user: 'user', model: 'assistant' },
  messages: { system: 'system', user: 'user', model: 'assistant' },
  gemini: { system: 'system', user: 'user', model: 'model' },
}

/** A request of a protocol; what the system says goes where the vendor has it. */
function bodyOf(protocol: ProtocolName, said: Said, rest: JsonObject = {}): JsonObject {
  const system = said.filter(([turn]) => turn === 'system').map(([, text]) => text)
  const turns = said.filter(([turn]) => turn !== 'system')
  const roleOf = (turn: Turn) => roles[protocol][turn]
  const plain = turns.map(([turn, text]) => ({ role: roleOf(turn), content: text }))
  if (protocol === 'gemini') {
    const contents = turns.map(([turn, text]) => ({ role: roleOf(turn), parts: [{ text }] }))
    return { systemInstruction: { parts: system.map((text) => ({ text })) }, contents, ...rest }
  }
  if (protocol === 'messages') {
    return { model: 'm', system: system.join(), messages: plain, ...rest }
  }
  if (protocol === 'responses') {
    return { model: 'm', instructions: system.join(), input: plain, ...rest }
  }
  const messages = [...system.map((text) => ({ role: 'system', content: text })), ...plain]
  return { model: 'm', messages, ...rest }
}

const none = undefined
const keyOf = (protocol: ProtocolName, body: JsonObject, hint?: string) =>
  conversationOf(protocol, body, hint)?.key

const protocols = Object.keys(roles) as ProtocolName[]
const opening: Said = [
  ['system', 'Be brief.'],
  ['user', 'Hello.'],
]
const later: Said = [...opening, ['model', 'Hi.'], ['user', 'And now?']]
const latest: Said = [...later, ['model', 'Now this.'], ['user', 'Thanks.']]

describe.each(protocols)('without a hint, in %s', (protocol) => {
  test('it is the same from turn to turn, and begun with the model’s first', () => {
    const found = [opening, later, latest].map((said) =>
      conversationOf(protocol, bodyOf(protocol, said), none),
    )
    expect(new Set(found.map((one) => one?.key)).size).toBe(1)
    expect(found.map((one) => one?.isBegun)).toEqual([false, true, true])
  })

  test('it is another one with another beginning', () => {
    const others: readonly Said[] = [
      [['user', 'Hello.']],
      [
        ['system', 'Be long.'],
        ['user', 'Hello.'],
      ],
      [
        ['system', 'Be brief.'],
        ['user', 'Good bye.'],
      ],
      [
        ['system', 'Be brief.'],
        ['user', 'Hello'],
      ],
      [
        ['system', 'Be brief.Hello.'],
        ['user', ''],
      ],
    ]
    const keys = [opening, ...others].map((said) => keyOf(protocol, bodyOf(protocol, said)))
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('long beginnings that differ in their length only are told apart', () => {
    const [one, other] = [5_000, 5_001].map((count) =>
      keyOf(protocol, bodyOf(protocol, [['user', 'x'.repeat(count)]])),
    )
    expect(one).not.toBe(other)
  })

  test('there is none when nobody has said anything', () => {
    expect(conversationOf(protocol, bodyOf(protocol, [['system', 'Be brief.']]), none)).toEqual(
      undefined,
    )
    expect(conversationOf(protocol, {}, none)).toBeUndefined()
  })
})

describe('the beginning', () => {
  test('is of its model', () => {
    for (const protocol of ['chat', 'responses', 'messages'] as const) {
      const keys = ['a', 'b'].map((model) => keyOf(protocol, bodyOf(protocol, opening, { model })))
      expect(keys[0]).not.toBe(keys[1])
    }
  })

  test('is the same however a client writes its texts, and wherever it marks its caches', () => {
    const plain = keyOf('messages', bodyOf('messages', opening))
    const parts = {
      model: 'm',
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Hello.', cache_control: { type: 'ephemeral' } }],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
      ],
    }
    expect(keyOf('messages', parts)).toBe(plain)
  })

  test('is a plain input of responses, too', () => {
    const found = conversationOf('responses', { model: 'm', input: 'Hello.' }, none)
    expect(found?.isBegun).toBeFalse()
    expect(found?.key).toBe(keyOf('responses', bodyOf('responses', [['user', 'Hello.']])))
  })

  test('is begun by what only a model makes', () => {
    const user = { type: 'message', role: 'user', content: 'Hello.' }
    for (const item of [
      { type: 'reasoning', encrypted_content: 'x' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'item_reference', id: 'msg_1' },
    ]) {
      const found = conversationOf('responses', { model: 'm', input: [user, item] }, none)
      expect(found?.isBegun).toBeTrue()
    }
  })

  test('is a message of gemini that names no role', () => {
    const found = conversationOf('gemini', { contents: [{ parts: [{ text: 'Hello.' }] }] }, none)
    expect(found).toEqual({
      key: keyOf('gemini', bodyOf('gemini', [['user', 'Hello.']])) ?? '',
      isBegun: false,
    })
  })

  test('is told apart by its images', () => {
    const keys = ['aaaa', 'bbbb'].map((data) =>
      keyOf('messages', {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
          },
        ],
      }),
    )
    expect(keys[0]).not.toBe(keys[1])
  })

  test('is read no further than it must be, however long and deep a body is', () => {
    let reads = 0
    const watched = (role: string, content: unknown) => ({
      get role() {
        reads++
        return role
      },
      content,
    })
    const turns = Array.from({ length: 1_000 }, (_, i) =>
      watched(i % 2 ? 'assistant' : 'user', 'More.'),
    )
    expect(conversationOf('chat', { messages: turns }, none)?.isBegun).toBeTrue()
    expect(reads).toBe(2)

    const small = {
      get text() {
        reads++
        return ''
      },
    }
    const wide = (part: unknown) => Array.from({ length: 300 }, () => part)
    for (const content of [wide(small), wide(wide(small)), wide({ content: wide(small) })]) {
      reads = 0
      conversationOf('chat', { messages: [{ role: 'user', content }] }, none)
      expect(reads).toBeWithin(1, 257)
    }
  })

  test('of any shape is no error', () => {
    for (const messages of [null, 5, 'text', [null, 1, 'a', [], {}], [{ role: 7, content: 8 }]]) {
      for (const protocol of protocols) {
        const body = { messages, input: messages, contents: messages, system: messages }
        expect(() => conversationOf(protocol, body, none)).not.toThrow()
      }
    }
  })
})

describe('a client’s hint', () => {
  const hints: readonly (readonly [string, ProtocolName, (id: string) => JsonObject])[] = [
    ['prompt_cache_key', 'chat', (id) => ({ prompt_cache_key: id })],
    ['prompt_cache_key', 'responses', (id) => ({ prompt_cache_key: id })],
    ['conversation', 'responses', (id) => ({ conversation: id })],
    ['conversation.id', 'responses', (id) => ({ conversation: { id } })],
    ['metadata.user_id', 'messages', (id) => ({ metadata: { user_id: `{"session_id":"${id}"}` } })],
  ]
  test.each(hints)('%s of %s tells, whatever is said', (_, protocol, hint) => {
    const found = [opening, later, [['user', 'Something else.']] as Said].map((said) =>
      conversationOf(protocol, bodyOf(protocol, said, hint('s-1')), none),
    )
    expect(found.map((one) => one?.isBegun)).toEqual([true, true, true])
    expect(new Set(found.map((one) => one?.key)).size).toBe(1)
    expect(keyOf(protocol, bodyOf(protocol, opening, hint('s-2')))).not.toBe(found[0]?.key)
    expect(keyOf(protocol, bodyOf(protocol, opening))).not.toBe(found[0]?.key)
  })

  test.each([
    'session_id',
    'session-id',
    'x-session-affinity',
    'x-session-id',
    'conversation_id',
    'x-claude-code-session-id',
    'thread-id',
  ])('the header %s tells in each protocol', (name) => {
    for (const protocol of protocols) {
      const [one, other] = ['s-1', 's-2'].map((id) => hintInHeaders(new Headers({ [name]: id })))
      const found = conversationOf(protocol, bodyOf(protocol, opening), one ?? none)
      expect(found?.isBegun).toBeTrue()
      expect(keyOf(protocol, bodyOf(protocol, later), one)).toBe(found?.key)
      expect(keyOf(protocol, bodyOf(protocol, opening), other)).not.toBe(found?.key)
    }
  })

  test('is one for each model: a session’s small requests are not its large ones', () => {
    const keys = ['large', 'small'].map((model) =>
      keyOf('messages', { model, metadata: { user_id: 'session' }, messages: [] }),
    )
    expect(keys[0]).not.toBe(keys[1])
  })

  test('in the body goes before one in a header', () => {
    const body = bodyOf('responses', opening, { prompt_cache_key: 'cache' })
    expect(keyOf('responses', body, 'session')).toBe(keyOf('responses', body))
  })

  test('that is empty or no text is none', () => {
    for (const value of ['', 5, null, {}]) {
      const body = bodyOf('chat', opening, { prompt_cache_key: value })
      expect(conversationOf('chat', body, none)?.isBegun).toBeFalse()
    }
  })
})
