import { describe, expect, test } from 'bun:test'
import { runsSearch } from '../../src/catalog/runs-search.ts'

const own = {
  responses: 'https://api.openai.com/v1',
  messages: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com',
  chat: 'https://api.openai.com/v1',
}
const at = (speaks: Readonly<Record<string, string>>, ...quirks: string[]) => ({ speaks, quirks })

describe('a vendor’s own address', () => {
  test.each([
    ['responses', 'gpt-5.2-codex'],
    ['responses', 'gpt-5-mini-2025-08-07'],
    ['responses', 'gpt-4o'],
    ['responses', 'o4-mini'],
    ['messages', 'claude-sonnet-4-5-20250929'],
    ['messages', 'claude-opus-5'],
    ['messages', 'claude-3-5-haiku-latest'],
    ['gemini', 'gemini-3-flash-preview'],
    ['gemini', 'gemini-2.5-pro'],
  ])('%s runs searches for %s', (protocol, model) => {
    expect(runsSearch(at(own), protocol, model)).toBeTrue()
  })

  test.each([
    ['responses', 'gpt-4.1-nano'],
    ['responses', 'gpt-5-chat-latest'],
    ['responses', 'gpt-3.5-turbo'],
    ['responses', 'o1'],
    ['messages', 'claude-3-haiku-20240307'],
    ['messages', 'deepseek-chat'],
    ['gemini', 'gemini-1.5-pro'],
    ['gemini', 'gemini-2.5-flash-image'],
    ['gemini', 'gemma-3'],
    ['chat', 'gpt-5'],
  ])('%s runs none for %s', (protocol, model) => {
    expect(runsSearch(at(own), protocol, model)).toBeFalse()
  })

  test('may be one of a region', () => {
    const europe = { responses: 'https://eu.api.openai.com/v1' }
    expect(runsSearch(at(europe), 'responses', 'gpt-5')).toBeTrue()
    const vertex = { gemini: 'https://europe-west4-aiplatform.googleapis.com/v1/projects/p' }
    expect(runsSearch(at(vertex), 'gemini', 'gemini-3-pro')).toBeTrue()
  })
})

test('any other address runs none, unless its operator says so', () => {
  const speaks = { messages: 'https://api.anthropic.com.example.org', chat: 'https://a.example' }
  expect(runsSearch(at(speaks), 'messages', 'claude-opus-5')).toBeFalse()
  expect(runsSearch(at(speaks, 'web_search'), 'messages', 'any-model')).toBeTrue()
  expect(runsSearch(at(speaks, 'web_search'), 'chat', 'any-model')).toBeFalse()
  expect(runsSearch(at(speaks, 'web_search'), 'gemini', 'any-model')).toBeFalse()
})
