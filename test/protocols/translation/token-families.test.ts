import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { tokenFamily } from '../../../src/protocols/translation/token-families.ts'

describe('the family of a model', () => {
  // What it is told about tools, or about all, tells the families apart.
  test.each([
    ['gpt-4o', 'chat', { tools: { any: 9 }, turns: { request: 3 } }],
    ['gpt-4.1-mini', 'responses', { tools: { any: 9 }, turns: { request: 3 } }],
    ['gpt-5.2', 'responses', { tools: { any: 14 }, turns: { request: 2 } }],
    ['openai/o3', 'responses', { tools: { any: 14 }, turns: { request: 2 } }],
    ['GPT-5-mini', 'chat', { tools: { any: 95 }, turns: { request: 2 } }],
    ['openai/gpt-oss-120b', 'chat', { tools: { any: 14 }, turns: { request: 66 } }],
    ['claude-3-5-haiku-latest', 'messages', { tools: { any: 346 }, text: 1.07 }],
    ['claude-opus-4-20250514', 'messages', { tools: { any: 346 }, text: 1.07 }],
    ['claude-sonnet-4-5-20250929', 'messages', { tools: { any: 496 }, text: 1.07 }],
    ['anthropic/claude-opus-4.6', 'chat', { tools: { any: 496 }, text: 1.07 }],
    ['eu.anthropic.claude-opus-4-8-v1:0', 'messages', { tools: { any: 270 }, text: 1.4 }],
    ['claude-sonnet-5', 'messages', { tools: { any: 270 }, text: 1.4 }],
    ['gemini-2.0-flash', 'gemini', { tools: { schema: 0.2, each: 3 } }],
    ['models/gemini-2.5-pro', 'gemini', { tools: { schema: 1.1, each: 8 } }],
    ['google/gemini-3-pro-preview', 'chat', { tools: { schema: 1.1, each: 5 } }],
    ['deepseek-chat', 'chat', { tools: { any: 9 }, turns: { request: 3 } }],
    ['', 'gemini', { tools: { any: 9 }, turns: { request: 3 } }],
  ] as const)('%s on %s is found by its id', (model, protocol, family) => {
    expect(tokenFamily({ model, protocol })).toMatchObject(family)
  })

  test('is another one for the same model on Vertex', () => {
    const ask = (url: string) =>
      tokenFamily({ model: 'gemini-3-flash-preview', protocol: 'gemini', url })
    expect(ask('https://generativelanguage.googleapis.com').tools.schema).toBe(1.1)
    expect(ask('https://europe-west4-aiplatform.googleapis.com/v1').tools.schema).toBe(0.2)
  })

  const image = { type: 'image', source: { type: 'url', url: 'https://example.com' } } as const
  test.each([
    ['gpt-4o', 'chat', 765],
    ['gpt-4o-mini', 'chat', 25501],
    ['gpt-4.1-mini', 'responses', 1659],
    ['gpt-5', 'chat', 630],
    ['gpt-5-mini', 'chat', 1229],
    ['claude-sonnet-4-5', 'messages', 1398],
    ['gemini-2.5-flash', 'gemini', 258],
    ['gemini-3-flash', 'gemini', 1095],
  ] as readonly (readonly [string, ProtocolName, number])[])(
    'has the price of an image: %s on %s takes %d for 1024 × 1024',
    (model, protocol, tokens) => {
      expect(Math.round(tokenFamily({ model, protocol }).image(image))).toBe(tokens)
    },
  )
})
