import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { responses } from '../../src/protocols/responses/index.ts'

describe('upstream URLs', () => {
  const { completions } = chat.operations
  const { generate } = gemini.operations
  const vertex = 'https://x.example/v1beta1/projects/P/locations/L/publishers/google'

  test.each([
    [
      chat,
      'https://api.openai.com/v1',
      '/chat/completions',
      'https://api.openai.com/v1/chat/completions',
    ],
    [chat, 'http://127.0.0.1:9/v1//', '/embeddings', 'http://127.0.0.1:9/v1/embeddings'],
    [chat, 'https://a.example', '/chat/completions', 'https://a.example/chat/completions'],
    [
      chat,
      'https://a.example/openai/deployments/d?api-version=2024-12-01',
      '/chat/completions',
      'https://a.example/openai/deployments/d/chat/completions?api-version=2024-12-01',
    ],
    [responses, 'https://api.openai.com/v1', '/responses', 'https://api.openai.com/v1/responses'],
    [
      messages,
      'https://api.anthropic.com',
      '/v1/messages',
      'https://api.anthropic.com/v1/messages',
    ],
    [
      messages,
      'https://a.example/anthropic/v1/',
      '/v1/messages/count_tokens',
      'https://a.example/anthropic/v1/messages/count_tokens',
    ],
    [messages, 'https://a.example/v1x', '/v1/messages', 'https://a.example/v1x/v1/messages'],
    [
      gemini,
      'https://g.example',
      '/v1beta/models/m:generateContent',
      'https://g.example/v1beta/models/m:generateContent',
    ],
    [
      gemini,
      'https://g.example/v1beta',
      '/v1beta/models/m:generateContent',
      'https://g.example/v1beta/models/m:generateContent',
    ],
    [
      gemini,
      'https://g.example/v1',
      '/v1beta/models/m:countTokens',
      'https://g.example/v1/models/m:countTokens',
    ],
    [
      gemini,
      vertex,
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      `${vertex}/models/m:streamGenerateContent?alt=sse`,
    ],
    [
      gemini,
      'https://g.example?key=k',
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      'https://g.example/v1beta/models/m:streamGenerateContent?key=k&alt=sse',
    ],
  ])('%#', (protocol, base, path, expected) => {
    expect(protocol.url(base, path)).toBe(expected)
  })

  test.each([
    ['gemini-2.5-flash', 'models/gemini-2.5-flash'],
    ['models/gemini-2.5-flash', 'models/gemini-2.5-flash'],
    ['tunedModels/mine', 'tunedModels/mine'],
    ['vendor/model@001', 'models/vendor/model@001'],
    ['a b?c#d', 'models/a%20b%3Fc%23d'],
    ['../../secret', 'models/..%2F..%2Fsecret'],
    ['llama3:8b', 'models/llama3:8b'],
  ])('a model id %s in a path', (model, expected) => {
    expect(generate.path(model, false)).toBe(`/v1beta/${expected}:generateContent`)
    expect(generate.path(model, true)).toBe(`/v1beta/${expected}:streamGenerateContent`)
    const href = gemini.url('https://g.example', generate.path(model, false))
    expect(href).toBe(`https://g.example/v1beta/${expected}:generateContent`)
  })

  test('chat names its model in the body, not in the path', () => {
    expect(completions.path('anything', true)).toBe('/chat/completions')
  })

  test('keys', () => {
    expect(chat.keyHeaders('k')).toEqual({ authorization: 'Bearer k' })
    expect(responses.keyHeaders('k')).toEqual({ authorization: 'Bearer k' })
    expect(messages.keyHeaders('k')).toEqual({ 'x-api-key': 'k' })
    expect(gemini.keyHeaders('k')).toEqual({ 'x-goog-api-key': 'k' })
  })
})
