import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { dialects } from '../e2e/dialects.ts'

// What a stream shows is all that its vendor bills only where nothing else can have been asked for.

const protocols = { chat, responses, messages, gemini }
const named = (type: string) => ({ tools: [{ type, name: 'x' }] })

const cases = {
  chat: [
    ['by_model', { temperature: 1, n: 2, tools: [{ type: 'function', function: {} }] }],
    ['by_model', { reasoning_effort: null, modalities: ['text'] }],
    ['none', { reasoning_effort: 'none' }],
    ['some', { reasoning_effort: 'low' }],
    ['some', { modalities: ['text', 'audio'] }],
    ['some', { web_search_options: {} }],
    ['some', { prediction: { type: 'content', content: 'x' } }],
    ['some', { service_tier: 'priority' }],
    ['some', { reasoning: { effort: 'none' } }],
    ['some', named('web_search')],
    ['some', { a_field_of_tomorrow: 1 }],
  ],
  responses: [
    ['by_model', { instructions: 'x', ...named('function') }],
    ['by_model', { reasoning: { summary: 'auto' }, background: false }],
    ['none', { reasoning: { effort: 'none' } }],
    ['some', { reasoning: { effort: 'high' } }],
    ['some', { previous_response_id: 'resp_1' }],
    ['some', { background: true }],
    ['some', { prompt: { id: 'p' } }],
    ['some', { input: [{ type: 'item_reference', id: 'x' }] }],
    ['some', named('image_generation')],
  ],
  messages: [
    ['by_model', { system: 'x', ...named('custom') }],
    ['none', { thinking: { type: 'disabled' } }],
    ['some', { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['some', { thinking: { type: 'adaptive' } }],
    ['some', { speed: 'fast' }],
    ['some', { mcp_servers: [] }],
    ['some', named('web_search_20250305')],
  ],
  gemini: [
    ['by_model', { generationConfig: { temperature: 1, responseModalities: ['TEXT'] } }],
    ['by_model', { tools: [{ functionDeclarations: [] }] }],
    ['none', { generation_config: { thinking_config: { thinking_budget: 0 } } }],
    ['some', { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }],
    ['some', { generationConfig: { thinkingConfig: { thinkingLevel: 'MINIMAL' } } }],
    [
      'some',
      { generationConfig: { thinkingConfig: { thinkingBudget: 0, thinking_budget: 9_000 } } },
    ],
    ['some', { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }],
    ['some', { tools: [{ googleSearch: {} }] }],
    ['some', { cachedContent: 'cachedContents/x' }],
  ],
} as const

describe.each(Object.keys(cases) as (keyof typeof cases)[])('%s', (name) => {
  test.each(cases[name].map(([hidden, more]) => [hidden, more] as const))(
    '%s: %j',
    (hidden, more) => {
      const body = { ...(dialects[name].request(true) as object), ...more }
      expect(protocols[name].generation.read(body).hiddenWork?.()).toBe(hidden)
    },
  )
})
