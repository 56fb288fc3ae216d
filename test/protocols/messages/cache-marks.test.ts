import { describe, expect, test } from 'bun:test'
import type { CanonicalRequest, Part, Turn } from '../../../src/protocols/canonical/request.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { requestOf } from './codec-support.ts'

const minimum = 1024
const long = 'A rule to be kept. '.repeat(300)
const text = (value: string): Part => ({ type: 'text', text: value })
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const call = (callId: string): Part => {
  return { type: 'tool-call', callId, name: 'look', kind: 'function', input: '{}' }
}
const result = (callId: string): Part => {
  return { type: 'tool-result', callId, name: 'look', kind: 'function', parts: [] }
}
const system: Turn = { role: 'system', parts: [text(long)] }
const tool = { kind: 'function', name: 'look', description: long } as const
const asked: readonly Turn[] = [system, user(text('Go'))]
const goneOn: readonly Turn[] = [
  ...asked,
  assistant(text('I look.'), call('a')),
  user(result('a')),
  assistant({ type: 'reasoning', text: 'Hm', signature: 's' }, call('b'), call('c')),
  user(result('b'), result('c')),
]

const encode = (
  request: Partial<CanonicalRequest>,
  { quirks = [] as readonly 'no_cache_control'[], least = minimum as number | null } = {},
): JsonObject =>
  messagesCodec.encodeRequest(requestOf(request), {
    model: 'claude-sonnet-4-5',
    quirks: new Set(quirks),
    defaultMaxOutputTokens: 1,
    cacheMinimumTokens: least ?? undefined,
  })

/** Paths of all blocks and tools of a body that have a mark. */
function marksOf(body: JsonObject): string[] {
  const found: string[] = []
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    if ('cache_control' in value) {
      expect(value.cache_control).toEqual({ type: 'ephemeral' })
      found.push(path)
    }
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}.${key}`)
  }
  for (const field of ['tools', 'system', 'messages']) visit(body[field], field)
  return found
}

describe('marks for the prompt cache are set', () => {
  test('behind tools, system prompt, what was sent before, and the end', () => {
    const tools = [{ ...tool, name: 'find' }, tool]
    expect(marksOf(encode({ turns: goneOn, tools }))).toEqual([
      'tools.1',
      'system.0',
      'messages.2.content.0',
      'messages.4.content.1',
    ])
    expect(marksOf(encode({ turns: asked, tools: [tool] }))).toEqual([
      'tools.0',
      'system.0',
      'messages.0.content.0',
    ])
  })

  test('without tools once the conversation has gone on', () => {
    const turns = [...asked, assistant(text('Gone.')), user(text('Thanks'))]
    expect(marksOf(encode({ turns }))).toEqual([
      'system.0',
      'messages.0.content.0',
      'messages.2.content.0',
    ])
  })

  test('nowhere in a request that nobody goes on with', () => {
    expect(marksOf(encode({ turns: asked }))).toEqual([])
    const toolChoice = { type: 'tool', name: 'look' } as const
    expect(marksOf(encode({ turns: asked, tools: [tool], toolChoice }))).toEqual([])
  })

  test('nowhere before which there is less than the model caches', () => {
    const short = { kind: 'function', name: 'look' } as const
    expect(marksOf(encode({ turns: goneOn, tools: [short] }))).toEqual([
      'system.0',
      'messages.2.content.0',
      'messages.4.content.1',
    ])
    expect(marksOf(encode({ turns: goneOn, tools: [short] }, { least: 4096 }))).toEqual([])
    // Few signs may be many tokens.
    const chinese: Turn = { role: 'system', parts: [text('规则'.repeat(500))] }
    expect(marksOf(encode({ turns: [chinese, user(text('好'))], tools: [short] }))).toEqual([
      'system.0',
      'messages.0.content.0',
    ])
  })

  test('nowhere beside the client’s own, wherever they are', () => {
    const own = [
      {
        turns: [{ ...system, parts: [{ ...text(long), cache: '5m' }] } as Turn, ...goneOn.slice(1)],
      },
      { turns: goneOn, tools: [{ ...tool, cache: '5m' as const }] },
      {
        turns: [
          ...goneOn.slice(0, -1),
          user({
            ...{ type: 'tool-result', callId: 'b', name: 'look', kind: 'function' },
            parts: [{ type: 'text', text: 'seen', cache: '5m' }],
          }),
        ],
      },
    ]
    expect(own.map((request) => marksOf(encode({ tools: [tool], ...request })).length)).toEqual([
      1, 1, 1,
    ])
  })

  test('nowhere on a channel that is to get none', () => {
    expect(
      marksOf(encode({ turns: goneOn, tools: [tool] }, { quirks: ['no_cache_control'] })),
    ).toEqual([])
    expect(marksOf(encode({ turns: goneOn, tools: [tool] }, { least: null }))).toEqual([])
  })

  test('on no reasoning, which the vendor refuses', () => {
    const turns = [...asked, assistant({ type: 'reasoning', text: 'Hm', signature: 's' })]
    expect(marksOf(encode({ turns, tools: [tool] }))).toEqual([
      'tools.0',
      'system.0',
      'messages.0.content.0',
    ])
  })
})

test('marks change nothing else of what is sent', () => {
  const marked = encode({ turns: goneOn, tools: [tool] })
  const plain = encode({ turns: goneOn, tools: [tool] }, { least: null })
  const blocks = (content: unknown) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const asBlocks = ({ system: own, messages, ...rest }: JsonObject) => ({
    ...rest,
    system: blocks(own),
    messages: (messages as JsonObject[]).map((one) => ({ ...one, content: blocks(one.content) })),
  })
  const bare = JSON.parse(
    JSON.stringify(marked, (key, value) => (key === 'cache_control' ? undefined : value)),
  )
  expect(asBlocks(bare)).toEqual(asBlocks(plain))
})
