import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { responses } from '../../src/protocols/responses/index.ts'

// Some upstreams read names without regard to case, some take camelCase for snake_case: what they
// would find in the settings of a request must be what the gateway reckons with.

const said = [{ role: 'user', content: 'Hi' }]
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

type Fields = Readonly<Record<string, unknown>>
const ask = {
  chat: (more: Fields) =>
    chat.operations.completions.check({ model: 'm', messages: said, stream: true, ...more }),
  responses: (more: Fields) =>
    responses.operations.responses.check({ model: 'm', input: 'Hi', ...more }),
  messages: (more: Fields) =>
    messages.operations.messages.check({ model: 'm', max_tokens: 9, messages: said, ...more }),
  gemini: (more: Fields) => gemini.operations.generate.check({ contents, ...more }),
}
type Client = keyof typeof ask

describe('one setting in two spellings is refused', () => {
  test.each<[Client, string, Fields]>([
    [
      'gemini',
      'generationConfig.MaxOutputTokens',
      { generationConfig: { maxOutputTokens: 10, MaxOutputTokens: 65_000 } },
    ],
    ['gemini', 'generationConfig.top_p', { generationConfig: { topP: 1, top_p: 0.5 } }],
    [
      'gemini',
      'generationConfig.responseModalities',
      {
        generationConfig: { responseModalities: ['TEXT'] },
        generation_config: { response_modalities: ['AUDIO'] },
      },
    ],
    ['gemini', 'serviceTier', { serviceTier: 'standard', service_tier: 'priority' }],
    [
      'chat',
      'stream_options.INCLUDE_USAGE',
      { stream_options: { include_usage: true, INCLUDE_USAGE: false } },
    ],
    ['chat', 'max_tokens', { max_tokens: 10, maxTokens: 65_000 }],
    ['gemini', 'serviceTier', { serviceTier: null, service_tier: 'priority' }],
    ['chat', 'provider.sort_', { provider: { sort: 'price', sort_: 'x' } }],
    ['messages', 'thinking.Type', { thinking: { type: 'disabled', Type: 'enabled' } }],
    ['messages', 'thinking.ｔｙｐｅ', { thinking: { type: 'disabled', ｔｙｐｅ: 'enabled' } }],
    ['responses', 'tools[1].Tools', { tools: [{ type: 'x' }, { tools: [], Tools: [] }] }],
    [
      'responses',
      'tools[0].container.memoryLimit',
      { tools: [{ type: 'x', container: { memory_limit: '1g', memoryLimit: '64g' } }] },
    ],
  ])('%s: %s', (client, param, more) => {
    expect(ask[client](more) as object).toMatchObject({ code: 'invalid_value', param })
  })
})

describe('a setting that decides the charge is taken in its own spelling only', () => {
  test.each<[Client, string, Fields]>([
    ['gemini', 'generationConfig.CandidateCount', { generationConfig: { CandidateCount: 8 } }],
    ['gemini', 'generationConfig.maxoutputtokens', { generationConfig: { maxoutputtokens: 8 } }],
    ['messages', 'thinking.BUDGET_TOKENS', { thinking: { type: 'x', BUDGET_TOKENS: 8 } }],
    ['chat', 'stream_options.Include_Usage', { stream_options: { Include_Usage: false } }],
    ['responses', 'reasoning.Effort', { reasoning: { Effort: 'high' } }],
  ])('%s: %s', (client, param, more) => {
    expect(ask[client](more) as object).toMatchObject({ code: 'invalid_value', param })
  })
})

describe('names of the client’s own are nobody’s business', () => {
  const own = { Type: 'x', type: 'y', userId: 1, user_id: 2, Max_Tokens: 3 }

  test.each<[Client, string, Fields]>([
    ['chat', 'metadata', { metadata: own }],
    ['chat', 'the bag of a vendor that nobody knows', { customBag: own, extra: [own] }],
    ['chat', 'a schema', { tools: [{ type: 'function', function: { parameters: own } }] }],
    ['chat', 'the form of an answer', { response_format: { type: 'x', json_schema: own } }],
    ['messages', 'a schema', { tools: [{ name: 'f', input_schema: { properties: own } }] }],
    ['messages', 'examples', { tools: [{ name: 'f', input_schema: {}, input_examples: [own] }] }],
    [
      'messages',
      'what was called',
      { messages: [{ role: 'user', content: [{ type: 'tool_use', input: own }] }] },
    ],
    [
      'messages',
      'tools by their names',
      { tools: [{ type: 'mcp_toolset', configs: { getUser: {}, get_user: {} } }] },
    ],
    ['responses', 'headers', { tools: [{ type: 'mcp', headers: { 'X-Type': 'x', 'x-type': 1 } }] }],
    [
      'responses',
      'an address',
      { tools: [{ type: 'openapi', spec: { '/users': {}, '/Users': {} } }] },
    ],
    ['gemini', 'labels', { labels: own }],
    ['gemini', 'a schema', { generationConfig: { responseSchema: own, responseJsonSchema: own } }],
    ['gemini', 'arguments', { contents: [{ parts: [{ functionCall: { args: own } }] }] }],
  ])('%s: %s', (client, _, more) => {
    expect(ask[client](more)).toBeUndefined()
  })
})

test('of Gemini’s limits in both spellings the larger holds, so they are taken', () => {
  const both = { maxOutputTokens: 10, max_output_tokens: 65_000 }
  expect(ask.gemini({ generationConfig: both })).toBeUndefined()
  const [one, other] = [{ maxOutputTokens: 10 }, { max_output_tokens: 65_000 }]
  expect(ask.gemini({ generationConfig: one, generation_config: other })).toBeUndefined()
})

test('either spelling is taken where it stands alone', () => {
  for (const config of ['generationConfig', 'generation_config']) {
    for (const limit of ['maxOutputTokens', 'max_output_tokens']) {
      expect(ask.gemini({ [config]: { [limit]: 5 } })).toBeUndefined()
    }
  }
})
