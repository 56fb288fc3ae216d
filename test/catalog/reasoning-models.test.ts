import { expect, test } from 'bun:test'
import { reasonsOf } from '../../src/catalog/model-facts.ts'

test.each([
  ['gpt-4o', 'never'],
  ['gpt-4o-2024-08-06', 'never'],
  ['openai/gpt-4.1-mini', 'never'],
  ['gpt-3.5-turbo-0125', 'never'],
  ['gemini-2.0-flash-001', 'never'],
  ['models/gemini-2.5-flash', 'unless_off'],
  ['gpt-5.1', 'when_asked'],
  ['claude-sonnet-4-20250514', 'when_asked'],
  ['claude-sonnet-4@20250514', 'when_asked'],
  ['anthropic/claude-sonnet-4.5', 'when_asked'],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'when_asked'],
  // Nobody has said when these reason: all of the time, then.
  ['gpt-5', 'always'],
  ['gpt-5.1-codex', 'always'],
  ['gpt-4o-search-preview', 'always'],
  ['gemini-2.0-flash-thinking-exp', 'always'],
  ['gemini-2.0-flash-preview-image-generation', 'always'],
  ['anthropic/claude-3.7-sonnet:thinking', 'always'],
  ['claude-opus-9', 'always'],
  ['my-own-model', 'always'],
  ['', 'always'],
] as const)('%s reasons: %s', (model, reasons) => {
  expect(reasonsOf(model)).toBe(reasons)
})
