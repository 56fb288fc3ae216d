import { describe, expect, test } from 'bun:test'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import type { Quirk } from '../../../src/protocols/canonical/quirks.ts'
import type {
  CanonicalRequest,
  Part,
  Tool,
  ToolResultPart,
  WebSearch,
} from '../../../src/protocols/canonical/request.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { type ProtocolName, protocolNames } from '../../../src/protocols/protocol.ts'
import {
  type FeatureName,
  type NativeFeature,
  nativeFeatures,
  requestFeatures,
  wayOf,
} from '../../../src/protocols/translation/features.ts'
import { findUses, fit } from './fitting.ts'

const hello: Part = { type: 'text', text: 'Hello', at: 'messages[0]' }
const plain: CanonicalRequest = {
  model: 'm',
  stream: false,
  turns: [{ role: 'user', parts: [hello] }],
  tools: [],
  native: [],
}
const tool: Tool = { kind: 'function', name: 'f', at: 'tools[0]' }

const setting = (settings: Partial<CanonicalRequest>): CanonicalRequest => ({
  ...plain,
  ...settings,
})
const userPart = (part: Part): CanonicalRequest => ({
  ...plain,
  turns: [{ role: 'user', parts: [hello, { ...part, at: 'here' }] }],
})
const assistantPart = (part: Part): CanonicalRequest => ({
  ...plain,
  turns: [
    { role: 'user', parts: [hello] },
    {
      role: 'assistant',
      parts: [
        { ...part, at: 'here' },
        { type: 'text', text: 'A' },
      ],
    },
    { role: 'user', parts: [hello] },
  ],
})
const result = (rest: Partial<ToolResultPart>): Part => ({
  type: 'tool-result',
  callId: 'c',
  name: 'f',
  kind: 'function',
  parts: [],
  ...rest,
})
const data = { type: 'data', mediaType: 'image/png', data: 'AAAA' } as const
const url = { type: 'url', url: 'https://pictures.example/a.png' } as const
const native = Object.fromEntries(
  (Object.keys(nativeFeatures) as NativeFeature[]).map((feature) => [
    feature,
    setting({ native: [{ feature, at: 'here' }] }),
  ]),
) as Record<NativeFeature, CanonicalRequest>

const search: WebSearch = { places: ['here'], others: [] }

/** For each feature of the table a request that uses it. */
const requests: { readonly [feature in FeatureName]: CanonicalRequest } = {
  ...native,
  instructions: setting({ turns: [{ role: 'system', parts: [hello] }, ...plain.turns] }),
  developer_role: setting({ turns: [{ role: 'developer', parts: [hello] }, ...plain.turns] }),
  late_instructions: setting({ turns: [...plain.turns, { role: 'system', parts: [hello] }] }),
  text: plain,
  participant_name: userPart({ type: 'text', text: 'A', name: 'ann' }),
  image: userPart({ type: 'image', source: data }),
  image_url: userPart({ type: 'image', source: url }),
  image_detail: userPart({ type: 'image', source: data, detail: 'high' }),
  document: userPart({ type: 'document', source: data }),
  document_url: userPart({ type: 'document', source: url }),
  document_text: userPart({ type: 'document', source: { type: 'text', text: 'A' } }),
  document_context: userPart({ type: 'document', source: data, context: 'A' }),
  document_citations: userPart({ type: 'document', source: data, isCited: true }),
  audio: userPart({ type: 'audio', source: data }),
  audio_url: userPart({ type: 'audio', source: url }),
  video: userPart({ type: 'video', source: data }),
  refusal_history: assistantPart({ type: 'refusal', text: 'No' }),
  citation_history: assistantPart({
    type: 'text',
    text: 'A',
    citations: [{ type: 'url', url: 'https://pages.example' }],
  }),
  document_citation_history: assistantPart({
    type: 'text',
    text: 'A',
    citations: [{ type: 'document', raw: {} }],
  }),
  prefill: setting({
    turns: [
      ...plain.turns,
      { role: 'assistant', parts: [{ type: 'text', text: '{', at: 'here' }] },
    ],
  }),
  tools: setting({ tools: [tool] }),
  tool_calls: assistantPart({
    type: 'tool-call',
    callId: 'c',
    name: 'f',
    kind: 'function',
    input: '{}',
  }),
  custom_tools: setting({ tools: [{ ...tool, kind: 'custom' }] }),
  tool_strict: setting({ tools: [{ ...tool, strict: true }] }),
  tool_choice: setting({ toolChoice: { type: 'required' } }),
  allowed_tools: setting({
    tools: [tool],
    toolChoice: { type: 'allowed', names: [tool.name], isRequired: false },
  }),
  sequential_tools: setting({ parallelToolCalls: false }),
  tool_result_media: userPart(result({ parts: [{ type: 'image', source: data, at: 'here' }] })),
  tool_error: userPart(result({ isError: true })),
  json_mode: setting({ format: { type: 'json' } }),
  json_schema: setting({ format: { type: 'schema', schema: {} } }),
  reasoning_effort: setting({ reasoning: { amount: { type: 'effort', effort: 'low' } } }),
  reasoning_budget: setting({ reasoning: { amount: { type: 'budget', tokens: 2000 } } }),
  reasoning_auto: setting({ reasoning: { amount: { type: 'auto' } } }),
  reasoning_off: setting({ reasoning: { amount: { type: 'off' } } }),
  reasoning_shown: setting({ reasoning: { show: 'auto' } }),
  signed_reasoning: assistantPart({ type: 'reasoning', text: 'Hm', signature: 's' }),
  own_reasoning: assistantPart({ type: 'reasoning', text: 'Hm', isOwn: true }),
  unsigned_reasoning: assistantPart({ type: 'reasoning', text: 'Hm' }),
  cache_hint: userPart({ type: 'text', text: 'A', cache: '5m' }),
  prompt_cache_key: setting({ promptCacheKey: 'k' }),
  max_output_tokens: setting({ maxOutputTokens: 10 }),
  stop: setting({ stop: ['.'] }),
  temperature: setting({ temperature: 0.5 }),
  sampling_while_reasoning: setting({ temperature: 0.5, reasoning: { amount: { type: 'auto' } } }),
  top_p: setting({ topP: 0.5 }),
  top_k: setting({ topK: 5 }),
  presence_penalty: setting({ presencePenalty: 1 }),
  frequency_penalty: setting({ frequencyPenalty: 1 }),
  seed: setting({ seed: 1 }),
  logit_bias: setting({ logitBias: { 1: 1 } }),
  logprobs: setting({ logprobs: 0 }),
  choices: setting({ choices: 2 }),
  metadata: setting({ metadata: { a: 'b' } }),
  user_id: setting({ userId: 'u' }),
  long_user_id: setting({ userId: 'u'.repeat(65) }),
  service_tier: setting({ serviceTier: 'default' }),
  special_tier: setting({ serviceTier: 'flex' }),
  verbosity: setting({ verbosity: 'low' }),
  web_search: setting({ webSearch: search }),
  search_choice: setting({ webSearch: search, toolChoice: { type: 'search' } }),
  search_location: setting({ webSearch: { ...search, location: { country: 'NL' } } }),
  search_limit: setting({ webSearch: { ...search, maxUses: 2 } }),
  search_context: setting({ webSearch: { ...search, contextSize: 'low' } }),
}
const names = Object.keys(requests) as FeatureName[]

/** Only clients of messages mean a beginning of the answer by a last turn of the assistant. */
const client: ProtocolName = 'messages'
const none: ReadonlySet<Quirk> = new Set()

/** A channel that runs web searches. */
const searching = (protocol: ProtocolName) => ({
  ...{ protocol, quirks: none, webSearch: true },
  takesSearch: () => true,
})

function outcome(request: CanonicalRequest, protocol: ProtocolName, isStrict = false) {
  try {
    return fit(request, client, searching(protocol), isStrict)
  } catch (error) {
    if (error instanceof TranslationError) return error.fault
    throw error
  }
}

describe.each(names)('%s', (feature) => {
  const request = requests[feature]
  const at = findUses(request, client).find((use) => use.feature === feature)?.at

  test('is found where the client wrote it', () => {
    expect(at).toBeString()
  })

  test.each(protocolNames)('on %s it is treated as the table says', (protocol) => {
    const way = requestFeatures[feature].ways[protocol]
    const came = outcome(request, protocol)
    if (way === 'refused') {
      expect(came).toMatchObject({ code: 'unsupported_parameter', param: at })
      expect(came).toMatchObject({ message: expect.stringContaining(`the protocol ${protocol}`) })
    } else if (way === 'dropped') {
      expect(came).toMatchObject({ dropped: expect.arrayContaining([at]) })
      const left = 'request' in came ? findUses({ ...came.request, native: [] }, client) : []
      expect(left.filter((use) => use.feature === feature)).toEqual([])
      expect(outcome(request, protocol, true)).toMatchObject({
        code: 'unsupported_parameter',
        param: at,
      })
    } else {
      const isAlone = findUses(request, client).every((use) =>
        ['carried', 'adapted'].includes(wayOf(use.feature, protocol, none)),
      )
      // Another feature that it can't be without may be dropped beside it.
      if (isAlone) expect(came).toEqual({ request, dropped: [] })
      else expect(came).toHaveProperty('dropped')
    }
  })
})

test('quirks change what a channel takes', () => {
  const image = requests.image
  const target = { protocol: 'chat', quirks: new Set<Quirk>(['text_only']) } as const
  expect(() => fit(image, 'messages', target, false)).toThrow('here (image, as data)')
  const reasoning = { protocol: 'chat', quirks: new Set<Quirk>(['reasoning_content']) } as const
  const request = requests.unsigned_reasoning
  expect(fit(request, 'messages', reasoning, true)).toEqual({ request, dropped: [] })
})

test('a fault that only the protocol itself can see is told', () => {
  const fault = { code: 'unsupported_parameter', param: 'tools[0]', message: 'no' } as const
  const target = { protocol: 'gemini', quirks: none, findFault: () => fault } as const
  expect(() => fit(plain, 'chat', target, false)).toThrow(TranslationError)
})

describe('T22: keywords that can only be told in words', () => {
  const target = { protocol: 'gemini', quirks: none, ...gemini.codec } as const
  const parameters = { type: 'object', properties: { a: { propertyNames: { pattern: '^a' } } } }
  const withTool = (strict?: boolean) => setting({ tools: [{ ...tool, parameters, strict }] })
  const format = { type: 'schema', schema: { not: { type: 'null' } } } as const

  test.each<[ProtocolName, string]>([
    ['chat', 'tools[0].function.parameters.properties.a.propertyNames'],
    ['responses', 'tools[0].parameters.properties.a.propertyNames'],
    ['messages', 'tools[0].input_schema.properties.a.propertyNames'],
    ['gemini', 'tools[0].parameters.properties.a.propertyNames'],
  ])('are named for clients of %s', (client, path) => {
    expect(fit(withTool(), client, target, false).dropped).toEqual([path])
    expect(fit(withTool(false), client, target, false).dropped).toEqual([path])
  })

  test('are named in the schema of an answer', () => {
    const asked = setting({ format: { ...format, at: 'text.format' } })
    expect(fit(asked, 'responses', target, false).dropped).toEqual(['text.format.schema.not'])
    const own = setting({ format: { ...format, at: 'generationConfig.responseSchema' } })
    expect(fit(own, 'gemini', target, false).dropped).toEqual([
      'generationConfig.responseSchema.not',
    ])
  })

  test('are refused where the tool, the format or the request is strict', () => {
    const place = 'tools[0].function.parameters.properties.a.propertyNames: "propertyNames"'
    expect(() => fit(withTool(true), 'chat', target, false)).toThrow(place)
    expect(() => fit(withTool(true), 'chat', target, false)).toThrow('the tool is strict')
    expect(() => fit(withTool(), 'chat', target, true)).toThrow('the request is strict')
    const asked = setting({ format: { ...format, at: 'text.format', strict: true } })
    expect(() => fit(asked, 'responses', target, false)).toThrow('the format is strict')
  })
})

test('a field is named once, however often it is left out', () => {
  const turns = [{ role: 'user', parts: [{ ...hello, cache: '5m' }] }] as const
  const request = { ...plain, turns, tools: [{ ...tool, cache: '1h' as const }] }
  expect(fit(request, 'messages', { protocol: 'chat', quirks: none }, false)).toEqual({
    request: {
      ...request,
      turns: [{ role: 'user', parts: [{ ...hello, cache: undefined }] }],
      tools: [{ ...tool, cache: undefined }],
    },
    dropped: ['messages[0].cache_control', 'tools[0].cache_control'],
  })
})

test('marks of tools and parts are named as the client writes them', () => {
  const marked: CanonicalRequest = {
    ...plain,
    turns: [{ role: 'user', parts: [{ ...hello, cache: '5m' }] }],
    tools: [{ ...tool, strict: true }],
  }
  const target = { protocol: 'gemini', quirks: none } as const
  expect(fit(marked, 'chat', target, false).dropped).toEqual([
    'messages[0].cache_control',
    'tools[0].function.strict',
  ])
  expect(fit(marked, 'responses', target, false).dropped).toEqual([
    'messages[0].prompt_cache_breakpoint',
    'tools[0].strict',
  ])
})

test('settings are named as the client writes them', () => {
  const request = { ...plain, logprobs: 2 }
  const target = { protocol: 'messages', quirks: none } as const
  expect(() => fit(request, 'gemini', target, false)).toThrow('generationConfig.responseLogprobs')
  expect(() => fit(request, 'responses', target, false)).toThrow('top_logprobs')
})

test('stop sequences that the gateway looks for itself are few, and short', () => {
  const request = { ...plain, stop: Array.from({ length: 65 }, (_, at) => `${at}`) }
  const target = { protocol: 'responses', quirks: none } as const
  expect(() => fit(request, 'gemini', target, false)).toThrow('generationConfig.stopSequences')
  expect(() => fit(request, 'messages', target, false)).toThrow('stop_sequences must be at most')
  expect(fit(request, 'chat', { ...target, protocol: 'gemini' }, false).request).toEqual(request)
  const few = { ...plain, stop: ['x'.repeat(1_000)] }
  expect(fit(few, 'chat', target, true)).toEqual({ request: few, dropped: [] })
})

test('what a vendor refuses beside something else is left out and named, or refused', () => {
  const request = requests.reasoning_auto
  const droppedSettings = () => ['reasoning'] as const
  const target = { protocol: 'messages', quirks: none, droppedSettings } as const
  expect(fit(request, 'chat', target, false)).toEqual({
    request: { ...request, reasoning: undefined },
    dropped: ['reasoning_effort'],
  })
  expect(() => fit(request, 'chat', target, true)).toThrow('reasoning_effort')
})

test('of a search and its name as a tool one is acted by', () => {
  const native = [{ feature: 'hosted_tool', at: 'tools[0]' }] as const
  const webSearch: WebSearch = { places: ['tools[0]'], others: ['tools[0].extra'] }
  const request = { ...plain, webSearch, native }
  const optional = new Set(['tools[0]'])
  const come = (target: Parameters<typeof fit>[2], isStrict = false) =>
    fit(request, 'responses', target, isStrict, optional)
  expect(come(searching('messages'))).toMatchObject({
    request: { webSearch },
    dropped: ['tools[0].extra'],
  })
  expect(() => come(searching('messages'), true)).toThrow('tools[0].extra')
  const others = [
    { protocol: 'messages', quirks: none },
    { ...searching('messages'), webSearch: false },
    { ...searching('messages'), takesSearch: () => false },
  ] as const
  for (const target of others) {
    expect(come(target).request.webSearch).toBeUndefined()
    expect(come(target).dropped).toEqual(['tools[0]'])
    expect(() => come(target, true)).toThrow('tools[0]')
    expect(() => fit(request, 'responses', target, false)).toThrow('tools[0]')
  }
})

test('each tool is allowed once, and one that is not declared by nobody', () => {
  const allowing = (...names: string[]): CanonicalRequest => ({
    ...plain,
    tools: [tool],
    toolChoice: { type: 'allowed', names, isRequired: false },
  })
  const target = { protocol: 'responses', quirks: none } as const
  const twice = allowing(tool.name, tool.name)
  expect(fit(twice, 'chat', target, false).request).toEqual(allowing(tool.name))
  expect(() => fit(allowing(tool.name, 'other'), 'gemini', target, false)).toThrow(
    'toolConfig.functionCallingConfig allows the tool "other", which tools does not have.',
  )
})
