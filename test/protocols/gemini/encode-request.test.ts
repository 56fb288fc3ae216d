import { describe, expect, test } from 'bun:test'
import type {
  CanonicalRequest,
  Part,
  ReasoningSettings,
  ToolChoice,
} from '../../../src/protocols/canonical/request.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { dummySignature } from '../../../src/protocols/gemini/thinking.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import {
  assistant,
  call,
  decode,
  encode,
  options,
  plain,
  request,
  result,
  turn,
  user,
} from './codec-support.ts'

const look = { kind: 'function', name: 'look' } as const
const contentsOf = (...turns: CanonicalRequest['turns']) => encode({ turns }).contents
const configOf = (more: Partial<CanonicalRequest>, model?: string) =>
  encode(more, model).generationConfig

describe('a request for Gemini, encoded', () => {
  test('T16 T17: every setting has its place', () => {
    expect(
      encode({
        tools: [look],
        maxOutputTokens: 9,
        temperature: 0.5,
        topP: 0.4,
        topK: 3,
        choices: 2,
        stop: ['a'],
        seed: 1,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        logprobs: 4,
        format: { type: 'json' },
        serviceTier: 'flex',
        metadata: { a: 'b' },
      }),
    ).toEqual({
      tools: [{ functionDeclarations: [{ name: 'look' }] }],
      generationConfig: {
        maxOutputTokens: 9,
        temperature: 0.5,
        topP: 0.4,
        topK: 3,
        candidateCount: 2,
        stopSequences: ['a'],
        seed: 1,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        responseLogprobs: true,
        logprobs: 4,
        responseMimeType: 'application/json',
      },
      serviceTier: 'flex',
      labels: { a: 'b' },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    })
  })

  test('R8: the conversation comes last, and the next turn’s body begins with the same bytes', () => {
    const begun = [turn('system', ['S']), user('q'), assistant(call('a')), user(result('a', 'r'))]
    const text = (turns: CanonicalRequest['turns']) =>
      JSON.stringify(
        gemini.codec.encodeRequest(request({ turns, tools: [look], temperature: 1 }), options),
      )
    const before = text(begun)
    expect(before).toEndWith(']}')
    const after = text([...begun, assistant('x'), turn('system', ['later']), user('y')])
    expect(after.startsWith(before.slice(0, -2))).toBe(true)
  })

  test.each<[ToolChoice, object]>([
    [{ type: 'auto' }, { mode: 'AUTO' }],
    [{ type: 'none' }, { mode: 'NONE' }],
    [{ type: 'required' }, { mode: 'ANY' }],
    [
      { type: 'tool', name: 'look' },
      { mode: 'ANY', allowedFunctionNames: ['look'] },
    ],
    [
      { type: 'allowed', names: ['look', 'b'], isRequired: true },
      { mode: 'ANY', allowedFunctionNames: ['look', 'b'] },
    ],
    [
      { type: 'allowed', names: ['look', 'b'], isRequired: false },
      { mode: 'VALIDATED', allowedFunctionNames: ['look', 'b'] },
    ],
  ])('T17: the choice %j', (toolChoice, functionCallingConfig) => {
    const body = encode({ tools: [look], toolChoice })
    expect(body.toolConfig).toEqual({ functionCallingConfig })
    expect(decode(body).toolChoice).toEqual(toolChoice)
    expect(encode({ toolChoice })).not.toContainKey('toolConfig')
  })

  test('T14: a custom tool is a function with one text, its grammar told in words', () => {
    const grammar = { syntax: 'lark', definition: 'start: "x"' }
    const tool = { kind: 'custom', name: 'patch', description: 'Patches.', grammar } as const
    expect(encode({ tools: [tool] }).tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'patch',
            description: 'Patches.\n\nThe input must match this lark grammar:\nstart: "x"',
            parametersJsonSchema: {
              type: 'object',
              properties: { input: { type: 'string' } },
              required: ['input'],
            },
          },
        ],
      },
    ])
    const free: Part = { type: 'tool-call', callId: 'a', name: 'patch', kind: 'custom', input: '*' }
    expect(contentsOf(assistant(free))).toMatchObject([
      { parts: [{ functionCall: { name: 'patch', args: { input: '*' } } }] },
    ])
  })

  test('T22: schemas of tools and of the answer are the vendor’s JSON schema fields, adapted', () => {
    const schema = { $schema: 'x', type: 'object', properties: { a: { const: 'b' } } }
    const adapted = { type: 'object', properties: { a: { type: 'string', enum: ['b'] } } }
    const body = encode({
      tools: [
        { ...look, parameters: schema },
        { ...look, name: 'bare', parameters: {} },
      ],
      format: { type: 'schema', schema },
    })
    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          { name: 'look', parametersJsonSchema: adapted },
          { name: 'bare', parametersJsonSchema: { type: 'object' } },
        ],
      },
    ])
    expect(body.generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: adapted,
    })
  })

  test('T22: what the vendor has no keyword for goes in words, and is named by its place', () => {
    const format = { type: 'schema', at: 'text.format', schema: { not: {} } } as const
    const parameters = { type: 'object', properties: { a: { not: {} } } }
    const asked = request({
      format,
      tools: [{ ...look, at: 'tools[3]', parameters, strict: true }],
    })
    expect(gemini.codec.findFault?.(asked)).toBeUndefined()
    expect(gemini.codec.unenforcedKeywords?.(asked)).toEqual([
      { at: 'tools[3]', isTool: true, isStrict: true, path: 'properties.a', keyword: 'not' },
      { at: 'text.format', isTool: false, isStrict: false, path: '', keyword: 'not' },
    ])
    expect(configOf({ format })).toMatchObject({
      responseJsonSchema: { description: 'Must not fit: {}.' },
    })
    expect(gemini.codec.unenforcedKeywords?.(request({ tools: [look] }))).toEqual([])
  })

  test('T22: a schema that can’t be written out is found, and goes as it is', () => {
    let schema: JsonObject = {}
    for (let depth = 0; depth < 100; depth++) schema = { items: schema }
    const format = { type: 'schema', at: 'text.format', schema } as const
    expect(gemini.codec.findFault?.(request({ format }))).toMatchObject({
      code: 'unsupported_parameter',
      param: 'text.format',
      message: expect.stringContaining('too much "nesting" at items.items'),
    })
    expect(configOf({ format })).toMatchObject({ responseJsonSchema: schema })
  })
})

describe('the conversation', () => {
  test('leading instructions are the system instruction, later ones the user’s, in tags', () => {
    const turns = [
      turn('system', ['a', 'b']),
      turn('developer', ['c']),
      user('q'),
      turn('system', ['later']),
      user('r'),
    ]
    expect(encode({ turns })).toEqual({
      systemInstruction: { parts: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] },
      contents: [
        {
          role: 'user',
          parts: [{ text: 'q' }, { text: '<system>\nlater\n</system>' }, { text: 'r' }],
        },
      ],
    })
  })

  test('T21: nobody said anything, or nothing: there is a content with an empty text', () => {
    const silence = [{ role: 'user', parts: [{ text: '' }] }]
    expect(encode({ turns: [turn('system', ['S'])] }).contents).toEqual(silence)
    expect(contentsOf(user())).toEqual(silence)
  })

  test('results come first, whatever came between them and their calls', () => {
    expect(
      contentsOf(assistant(call('a')), turn('system', ['S']), user('x', result('a', 'r'))),
    ).toMatchObject([
      { role: 'model' },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'look', response: { output: 'r' } } },
          { text: '<system>\nS\n</system>' },
          { text: 'x' },
        ],
      },
    ])
  })

  test.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    ['[1]', { input: '[1]' }],
    ['not json', { input: 'not json' }],
  ])('T5: the arguments %j', (input, args) => {
    expect(contentsOf(assistant(call('a', 'look', input)))).toMatchObject([
      { parts: [{ functionCall: { id: 'a', name: 'look', args } }] },
    ])
  })

  test('big integers in arguments keep their digits', () => {
    const turns = [assistant(call('a', 'look', '{"n":12345678901234567890}'))]
    const text = JSON.stringify(gemini.codec.encodeRequest(request({ turns }), options))
    expect(text).toContain('{"n":12345678901234567890}')
  })

  test('T15: media of a result are in it from Gemini 3 on, and behind it before', () => {
    const image = { type: 'data', mediaType: 'image/png', data: 'AAAA' } as const
    const part: Part = {
      type: 'tool-result',
      callId: 'a',
      name: 'look',
      kind: 'function',
      isError: true,
      parts: [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'y' },
        { type: 'image', source: image },
      ],
    }
    const media = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
    const response = { id: 'a', name: 'look', response: { error: 'x\ny' } }
    const partsOf = (model: string) => encode({ turns: [user(part)] }, model).contents
    expect(partsOf('gemini-3-flash')).toEqual([
      { role: 'user', parts: [{ functionResponse: { ...response, parts: [media] } }] },
    ])
    expect(partsOf('gemini-2.5-pro')).toEqual([
      { role: 'user', parts: [{ functionResponse: response }, media] },
    ])
  })

  test('T15: media are inline, addresses that nobody fetched are fileData, titles a line', () => {
    const data = { type: 'data', mediaType: 'application/pdf', data: 'AAAA' } as const
    expect(
      contentsOf(
        user(
          { type: 'document', title: 'a.pdf', source: data },
          { type: 'document', source: { type: 'text', text: 'é' } },
          { type: 'audio', source: { ...data, mediaType: 'audio/wav' } },
          { type: 'image', source: { type: 'url', url: 'https://x.test/a' } },
        ),
      ),
    ).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'a.pdf' },
          { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
          { inlineData: { mimeType: 'text/plain', data: 'w6k=' } },
          { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
          { fileData: { fileUri: 'https://x.test/a' } },
        ],
      },
    ])
  })
})

describe('reasoning of earlier turns', () => {
  const sign = (signature: string, more: object = {}): Part => ({
    type: 'reasoning',
    text: '',
    signature,
    ...more,
  })
  const partsOf = (...parts: (string | Part)[]) => {
    const [content] = contentsOf(assistant(...parts)) as { parts: Record<string, unknown>[] }[]
    return content?.parts.map(({ functionCall, ...rest }) =>
      functionCall === undefined ? rest : { call: (functionCall as { id: string }).id, ...rest },
    )
  }

  test('T9: the signature of a call goes back on it', () => {
    expect(partsOf('a', sign('s', { callId: 'x' }), call('x'), call('y'))).toEqual([
      { text: 'a' },
      { call: 'x', thoughtSignature: 's' },
      { call: 'y' },
    ])
  })

  test('T9: that of a text goes back on it, that of a thought on its own part', () => {
    expect(partsOf('a', sign('s'), 'b', sign('t'), sign('u'))).toEqual([
      { text: 'a', thoughtSignature: 's' },
      { text: 'b', thoughtSignature: 't' },
      { text: '', thoughtSignature: 'u' },
    ])
    expect(partsOf(sign('s', { text: 'hm' }), 'a')).toEqual([
      { text: 'hm', thought: true, thoughtSignature: 's' },
      { text: 'a' },
    ])
  })

  test('T9: one that has lost its call is that of the first call behind it', () => {
    expect(partsOf(sign('s'), call('x'))).toEqual([{ call: 'x', thoughtSignature: 's' }])
    expect(partsOf(sign('s', { callId: 'gone' }), call('x'))).toEqual([
      { call: 'x', thoughtSignature: 's' },
    ])
  })

  test('reasoning without a signature is left out', () => {
    expect(partsOf({ type: 'reasoning', text: 'hm' }, 'a')).toEqual([{ text: 'a' }])
  })

  test('T9: calls of another model have the documented stand-in, the first of each turn', () => {
    expect(partsOf(call('x'), call('y'))).toEqual([
      { call: 'x', thoughtSignature: dummySignature },
      { call: 'y' },
    ])
    const turns = [assistant(call('x')), user(result('x', 'r')), assistant(call('y'))]
    const count = (model: string) =>
      JSON.stringify(encode({ turns, reasoning: { amount: { type: 'off' } } }, model)).split(
        dummySignature,
      ).length - 1
    expect(count('gemini-3-flash')).toBe(2)
    expect(count('models/gemini-3.1-pro-preview')).toBe(2)
    expect(count('gemini-2.5-flash')).toBe(0)
    expect(count('gemini-2.0-flash')).toBe(0)
  })

  test('T9: a round trip of signed turns loses nothing', () => {
    const turns = [
      user('q'),
      assistant(sign('a', { text: 'hm' }), 'b', sign('c'), sign('d', { callId: 'x' }), call('x')),
      user(result('x', 'r')),
    ]
    expect(decode(encode({ turns })).turns).toEqual(plain(turns))
  })
})

describe('how much to think', () => {
  type Row = [
    model: string,
    amount: NonNullable<ReasoningSettings['amount']>,
    config: object | undefined,
  ]
  const effort = (name: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max') =>
    ({ type: 'effort', effort: name }) as const
  const budget = (tokens: number) => ({ type: 'budget', tokens }) as const

  test.each<Row>([
    ['gemini-3-flash-preview', effort('minimal'), { thinkingLevel: 'MINIMAL' }],
    ['gemini-3-flash-preview', effort('medium'), { thinkingLevel: 'MEDIUM' }],
    ['gemini-3-flash-preview', effort('max'), { thinkingLevel: 'HIGH' }],
    ['gemini-3-flash-preview', { type: 'off' }, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3-flash-preview', budget(300), { thinkingBudget: 300 }],
    ['gemini-3-flash-preview', { type: 'auto' }, { thinkingBudget: -1 }],
    ['gemini-3-pro-preview', effort('minimal'), { thinkingLevel: 'LOW' }],
    ['gemini-3-pro-preview', effort('medium'), { thinkingLevel: 'HIGH' }],
    ['gemini-3.1-pro-preview', effort('medium'), { thinkingLevel: 'MEDIUM' }],
    ['gemini-3.1-pro-preview', { type: 'off' }, { thinkingLevel: 'LOW' }],
    ['gemini-9-anything', effort('minimal'), { thinkingLevel: 'LOW' }],
    ['gemini-2.5-flash', effort('minimal'), { thinkingBudget: 1024 }],
    ['gemini-2.5-flash', effort('medium'), { thinkingBudget: 8192 }],
    ['gemini-2.5-flash', effort('max'), { thinkingBudget: 24_576 }],
    ['gemini-2.5-flash', { type: 'off' }, { thinkingBudget: 0 }],
    ['gemini-2.5-flash', budget(99_999), { thinkingBudget: 24_576 }],
    ['gemini-2.5-pro', { type: 'off' }, { thinkingBudget: 128 }],
    ['models/gemini-2.5-pro', effort('max'), { thinkingBudget: 32_768 }],
    ['gemini-2.0-flash', effort('high'), undefined],
    ['gemini-1.5-pro', { type: 'off' }, undefined],
    ['gemma-3-27b-it', { type: 'off' }, undefined],
  ])('%s, %j', (model, amount, thinkingConfig) => {
    const config = configOf({ reasoning: { amount } }, model)
    expect(config).toEqual(thinkingConfig && { thinkingConfig })
  })

  test('a channel with the quirk gemini_budget takes budgets, whatever its models are called', () => {
    const encoded = gemini.codec.encodeRequest(request({ reasoning: { amount: effort('low') } }), {
      ...options,
      model: 'my-alias',
      quirks: new Set(['gemini_budget']),
    })
    expect(encoded.generationConfig).toEqual({ thinkingConfig: { thinkingBudget: 1024 } })
  })

  test.each<[ReasoningSettings, object | undefined]>([
    [{ show: 'auto' }, { includeThoughts: true }],
    [
      { show: 'detailed', amount: { type: 'auto' } },
      { thinkingBudget: -1, includeThoughts: true },
    ],
    [{ show: 'none' }, { includeThoughts: false }],
    [{ show: 'auto', amount: { type: 'off' } }, { thinkingBudget: 0 }],
    [{}, undefined],
  ])('%j on a model that can be turned off', (reasoning, thinkingConfig) => {
    const config = configOf({ reasoning }, 'gemini-2.5-flash')
    expect(config).toEqual(thinkingConfig && { thinkingConfig })
  })
})
