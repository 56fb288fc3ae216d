import { describe, expect, test } from 'bun:test'
import type { Quirk } from '../../../src/protocols/canonical/quirks.ts'
import type {
  CanonicalRequest,
  Part,
  ReasoningSettings,
  Turn,
} from '../../../src/protocols/canonical/request.ts'
import { hindrance, thinkingMode } from '../../../src/protocols/messages/thinking.ts'
import { encode, requestOf } from './codec-support.ts'

const manual: Quirk = 'thinking_budget'
const effort = (word: 'minimal' | 'low' | 'high' | 'max') =>
  ({ amount: { type: 'effort', effort: word } }) as const
const budget = (tokens: number) => ({ amount: { type: 'budget', tokens } }) as const
const thinkingOf = (request: Partial<CanonicalRequest>, ...quirks: Quirk[]) => {
  const { thinking, output_config, max_tokens } = encode(request, { quirks: new Set(quirks) })
  return { thinking, output_config, max_tokens }
}
const enabled = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens })

describe('reasoning', () => {
  test.each<[string, ReasoningSettings, object]>([
    ['off', { amount: { type: 'off' } }, { thinking: { type: 'disabled' } }],
    ['auto', { amount: { type: 'auto' } }, { thinking: { type: 'adaptive' } }],
    [
      'an effort, hidden',
      { ...effort('high'), show: 'none' },
      { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'high' } },
    ],
    [
      'the least effort, shown',
      { ...effort('minimal'), show: 'detailed' },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    ['a budget', budget(2000), { thinking: enabled(2000) }],
    ['less than the vendor’s least', budget(1), { thinking: enabled(1024) }],
    [
      'to be shown, in any amount',
      { show: 'auto' },
      { thinking: { type: 'adaptive', display: 'summarized' } },
    ],
    ['to be hidden, in any amount', { show: 'none' }, { thinking: undefined }],
    ['nothing', {}, { thinking: undefined }],
  ])('%s', (_name, reasoning, fields) => {
    expect(thinkingOf({ reasoning })).toEqual({
      output_config: undefined,
      max_tokens: 8192,
      ...fields,
    } as never)
  })

  test.each<[string, Partial<CanonicalRequest>, object, number]>([
    ['auto', { reasoning: { amount: { type: 'auto' } } }, enabled(6144), 8192],
    ['a low effort', { reasoning: effort('low') }, enabled(2048), 8192],
    [
      'a large effort, three quarters of the limit',
      { reasoning: effort('max') },
      enabled(6144),
      8192,
    ],
    [
      'a large effort with a limit',
      { reasoning: effort('high'), maxOutputTokens: 4000 },
      enabled(3000),
      4000,
    ],
    [
      'an effort that is shown',
      { reasoning: { ...effort('low'), show: 'auto' } },
      { ...enabled(2048), display: 'summarized' },
      8192,
    ],
  ])('on a channel that knows budgets only: %s', (_name, request, thinking, max_tokens) => {
    expect(thinkingOf(request, manual)).toEqual({ thinking, max_tokens, output_config: undefined })
  })

  test.each<[string, Partial<CanonicalRequest>, object | undefined, number]>([
    ['raises a limit that nobody asked for', { reasoning: budget(9000) }, enabled(9000), 17_192],
    [
      'stays below one that somebody did',
      { reasoning: budget(9000), maxOutputTokens: 4000 },
      enabled(3999),
      4000,
    ],
    [
      'is left out where there is no room',
      { reasoning: budget(9000), maxOutputTokens: 1024 },
      undefined,
      1024,
    ],
    [
      'has room for the least',
      { reasoning: effort('high'), maxOutputTokens: 1025 },
      enabled(1024),
      1025,
    ],
  ])('a budget %s', (_name, request, thinking, max_tokens) => {
    expect(thinkingOf(request, manual)).toMatchObject({ thinking, max_tokens })
  })

  test('showing it is not worth a refusal: sampling stays', () => {
    const request = requestOf({ reasoning: { show: 'auto' }, temperature: 0.2 })
    expect(thinkingMode(request, new Set())).toBe('default')
  })
})

describe('with a budget, the assistant’s unfinished turn must begin with reasoning', () => {
  const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
  const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
  const text: Part = { type: 'text', text: 'x' }
  const signed: Part = { type: 'reasoning', text: 'hm', signature: 'S' }
  const unsigned: Part = { type: 'reasoning', text: 'hm' }
  const call: Part = { type: 'tool-call', callId: 'c', name: 'a', kind: 'function', input: '{}' }
  const result: Part = { type: 'tool-result', callId: 'c', name: 'a', kind: 'function', parts: [] }
  const late: Turn = { role: 'system', parts: [text] }

  test.each<[boolean, string, Turn[]]>([
    [true, 'no turn of the assistant', [user(text)]],
    [true, 'a finished one', [user(text), assistant(text), user(text)]],
    [true, 'signed', [user(text), assistant(signed, call), user(result)]],
    [
      true,
      'signed at the loop’s beginning',
      [user(text), assistant(signed, call), user(result), assistant(call), user(result)],
    ],
    [
      true,
      'an older loop that a message has ended',
      [user(text), assistant(call), user(result), assistant(text), user(text)],
    ],
    [false, 'unsigned', [user(text), assistant(unsigned, call), user(result)]],
    [false, 'none', [user(text), assistant(call), user(result)]],
    [false, 'text before it', [user(text), assistant(text, signed, call), user(result)]],
    [false, 'none, and text beside the result', [user(text), assistant(call), user(result, text)]],
    [false, 'none, and late instructions', [user(text), assistant(call), user(result), late]],
    [
      false,
      'signed only later in the loop',
      [user(text), assistant(call), user(result), assistant(signed, call), user(result)],
    ],
    [false, 'a beginning of the answer', [user(text), assistant(text)]],
  ])('%p: %s', (isPossible, _name, turns) => {
    const request = { turns, reasoning: budget(2000) }
    expect(thinkingOf(request).thinking).toEqual(isPossible ? enabled(2000) : undefined)
    expect(hindrance(requestOf(request)) === undefined).toBe(isPossible)
  })

  test('a forced tool excludes a budget, but no adaptive thinking', () => {
    const turns = [user(text)]
    const tools = [{ kind: 'function', name: 'a' }] as const
    for (const toolChoice of [
      { type: 'required' },
      { type: 'tool', name: 'a' },
      { type: 'allowed', names: ['a'], isRequired: true },
    ] as const) {
      const forced = { turns, tools, toolChoice }
      expect(thinkingOf({ ...forced, reasoning: budget(2000) }).thinking).toBeUndefined()
      expect(thinkingOf({ ...forced, reasoning: effort('low') }).thinking).toEqual({
        type: 'adaptive',
      })
    }
  })

  test('adaptive thinking does without', () => {
    const turns = [user(text), assistant(call), user(result)]
    expect(thinkingOf({ turns, reasoning: effort('low') }).thinking).toEqual({ type: 'adaptive' })
  })
})
